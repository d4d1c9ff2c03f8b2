# First push, nothing to do, one edit, back again; the JSON says what was sent.
mkdir proj && cd proj
printf 'print(1)\n' > train.py
printf 'x\n' > other.py
drawhitch -q adopt b1 local --data-dir "$SCRATCH/data" > /dev/null
field() { python3 -c "import json,sys; d=json.load(sys.stdin)['data']; print(*(d[k] for k in sys.argv[1:]))" "$@"; }
drawhitch -q push --json | field up_to_date sent_files linked_files
drawhitch -q push --json | field up_to_date sent_files linked_files
printf 'print(2)\n' > train.py
drawhitch -q push --json | field up_to_date sent_files linked_files
printf 'print(1)\n' > train.py
drawhitch -q push --json | field up_to_date sent_files linked_files
cat "$SCRATCH"/data/drawhitch/proj/latest/train.py
