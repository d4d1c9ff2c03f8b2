# A limit is shown in the plan with the time it means, a word that is none is refused, and what is moved under it arrives.
. "$CLI_TESTS/road.sh.inc"
adopt_here --data-dir "$SCRATCH/data"
head -c 3000000 /dev/urandom >big
drawhitch -q cp -n --limit 100k big "b1:$SCRATCH/there/" | sed -n '3p'
drawhitch -q cp -n --limit 100k big "b1:$SCRATCH/there/" --json | field 'j["data"]["limit"]'
drawhitch -q cp -n big "b1:$SCRATCH/there/" --json | field 'j["data"]["limit"]'
drawhitch cp --limit 5 big "b1:$SCRATCH/there/" || echo "exit $?"
drawhitch -q cp --limit 8M big "b1:$SCRATCH/there/" --json | field 'j["ok"], j["data"]["arrived_bytes"]'
drawhitch -q cp --limit 64mbit "b1:$SCRATCH/there/big" back --json | field 'j["ok"], j["data"]["arrived_bytes"]'
cmp big back && echo equal
