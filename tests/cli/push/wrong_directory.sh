# A directory that is not the box's project is never taken for it: nothing is sent, and both are named.
field() { python3 -c "import json,sys; d=json.load(sys.stdin)['data']; print(*(d[k] for k in sys.argv[1:]))" "$@"; }
mkdir proj other none && printf 'print(1)\n' >proj/train.py
drawhitch -q -C proj adopt b1 local --data-dir "$SCRATCH/data" >/dev/null
drawhitch -q -C proj push b1 >/dev/null
refuse() {
    local code=0
    "$@" >/dev/null 2>err.txt || code=$?
    echo "exit code $code"
    grep -E '^(error|why|next)' err.txt | sed "s#$PWD#WORK#g"
}
echo private >none/secret.txt
refuse drawhitch -C none push b1
refuse drawhitch -C none run b1 --no-outputs -- true
refuse drawhitch push b1
printf 'project = "other"\n' >other/drawhitch.toml
refuse drawhitch --no-input -C other push b1
refuse drawhitch -C "$SCRATCH" push b1
printf 'project = "home"\n' >"$HOME/drawhitch.toml"
refuse drawhitch -y -C "$HOME" push b1
ls "$SCRATCH/data/drawhitch/proj/releases" | wc -l
cat "$SCRATCH/data/drawhitch/proj/latest/train.py"
drawhitch -q -y -C other push b1 >/dev/null && drawhitch -q -C other push b1 --json | field up_to_date
mkdir proj/sub && drawhitch -q -y -C proj/sub push b1 --json | field up_to_date
