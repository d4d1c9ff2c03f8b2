# A disk that was wiped is no new box: nothing is sent, doctor and run say the same, and adopting again begins anew.
mkdir proj && cd proj
printf 'print(1)\n' > train.py
drawhitch -q adopt b1 local --data-dir "$SCRATCH/data" > /dev/null
drawhitch -q push > /dev/null
root=$SCRATCH/data/drawhitch/proj
set +e
tell() { sed "s|$SCRATCH|SCRATCH|g"; }
for how in emptied gone; do
    rm -rf "$root"
    [ "$how" = gone ] || mkdir "$root"
    echo "== $how"
    drawhitch -q push 2>&1 | tell
    echo "push: $(drawhitch -q push > /dev/null 2>&1; echo $?)"
    echo "run: $(drawhitch -q run -- true > /dev/null 2>&1; echo $?)"
    echo "run --no-push: $(drawhitch -q run --no-push -- true > /dev/null 2>&1; echo $?)"
    echo "doctor: $(drawhitch -q doctor b1 > /dev/null 2>&1; echo $?)"
    drawhitch doctor b1 --json 2> /dev/null | python3 -c "
import json, sys
print([f['advice'] for f in json.load(sys.stdin)['data']['findings'] if f['rule'] == 'root'])"
    find "$SCRATCH/data/drawhitch" -mindepth 2
done
echo "== adopted again"
drawhitch -q adopt b1 local --data-dir "$SCRATCH/data" > /dev/null
drawhitch -q push | tell
drawhitch -q run --name r1 --out x -- touch x > /dev/null 2>&1
# `run` answers when the job is on its way, and rm meets what is still being written: the run ends first.
drawhitch -q watch b1 > /dev/null 2>&1
echo "== with a run"
rm -rf "$root"
drawhitch -q push 2>&1 | tell
drawhitch adopt b1 local --data-dir "$SCRATCH/data" 2>&1 | tell
