# What a look learned of a live run's progress stays known, with its time; a run that tells none has null.
. "$CLI_TESTS/road.sh.inc"
adopt_here
drawhitch -q run --name r1 --out '*.pt' -- sh -c 'echo "step 1/400"; until [ -e go ]; do sleep 0.1; done; echo "step 293/400"; exec sleep 300' >/dev/null
drawhitch -q run --name r2 --no-outputs -- sleep 300 >/dev/null
until drawhitch -q ps b1 r1 | grep -q 'step 1/400'; do :; done
work=$(drawhitch show b1 --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["data"]["root"])')/runs/r1/work
touch "$work/go"
until drawhitch -q ps b1 r1 | grep -q 'step 293/400'; do :; done
drawhitch show b1 --json | python3 -c '
import json, sys
for run in json.load(sys.stdin)["data"]["runs"]:
    print(run["run"], run["progress"], run["progress_at"] is not None)'
"$CLI_TESTS/with_terminal.py" --columns 120 drawhitch show b1 | grep -o 'step 293/400 (.*ago)' | sed 's/(.*ago/(SOME ago/'
drawhitch -q stop-run b1 r1 >/dev/null
drawhitch -q stop-run b1 r2 >/dev/null
