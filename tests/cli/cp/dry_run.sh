# -n, or its variable, shows what would be copied and what it would replace, both ways; --yes changes nothing about it.
drawhitch -q adopt b1 local --data-dir "$SCRATCH/data" >/dev/null
mkdir tree "$SCRATCH/there"
printf new >tree/new.txt
printf same | tee tree/same.txt >"$SCRATCH/there/same.txt"
printf ours >tree/other.txt
printf 'theirs!' >"$SCRATCH/there/other.txt"
drawhitch -q cp -n tree/other.txt "b1:$SCRATCH/there/"
drawhitch -q cp -n -y "b1:$SCRATCH/there/other.txt" tree
DRAWHITCH_DRY_RUN=1 drawhitch -q cp -y tree "b1:$SCRATCH/there/new/"
DRAWHITCH_DRY_RUN=1 drawhitch -q cp "b1:$SCRATCH/there/same.txt" tree --json |
    python3 -c 'import json, sys; d = json.load(sys.stdin)["data"]; print(d["planned"], d["planned_bytes"], d["files"][0]["state"])'
cat tree/other.txt "$SCRATCH/there/other.txt"; echo
ls -A "$SCRATCH/there"
