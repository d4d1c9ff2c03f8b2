# Code that was edited on the box is not started as what was pushed; a push makes it right, and then it starts.
. "$CLI_TESTS/road.sh.inc"
mkdir proj && cd proj
printf 'print(1)\n' > train.py
drawhitch -q adopt b1 local --data-dir "$SCRATCH/data" > /dev/null
tell() { sed "s|$SCRATCH|SCRATCH|g; s|release [0-9a-f]\{12\}|release HASH|g"; }
set +e
echo "never pushed: $(drawhitch -q run b1 --no-push --no-outputs -- true 2>&1 | tell)"
drawhitch -q push > /dev/null
root=$SCRATCH/data/drawhitch/proj
rm "$root/latest/train.py"
echo 'print(6)' > "$root/latest/train.py"
touch "$root/latest/extra.py"
drawhitch -q run b1 --no-push --no-outputs -- true 2>&1 | tell
drawhitch -q run b1 --no-push --no-outputs -- true > /dev/null 2>&1
echo "exit code $?"
ls "$root/runs" 2> /dev/null
drawhitch -q push > /dev/null 2>&1
drawhitch -q run b1 --no-push --no-outputs --json -- cat train.py > ran.json 2> /dev/null
echo "exit code $?"
hash=$(cat "$root/current")
grep -c "\"code_hash\": *\"$hash\"" ran.json
