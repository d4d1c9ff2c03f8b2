# The settings' limit counts in the plan of a pull and of a push, --limit is above it.
. "$CLI_TESTS/road.sh.inc"
adopt_here --data-dir "$SCRATCH/data"
printf 'print(1)\n' >train.py
run_job r1 a sh -c 'head -c 2000000 /dev/zero >a'
drawhitch config set connection.bandwidth 200k
drawhitch config get connection.bandwidth
drawhitch -q pull b1 r1 -n --json | tee out.json | field 'j["data"]["plan"]["limit"]'
field '9 <= j["data"]["plan"]["seconds"] <= 12' <out.json
drawhitch -q pull b1 r1 -n --limit none --json | field 'j["data"]["plan"]["limit"]'
drawhitch -q push b1 -n --limit 10k | tail -1
drawhitch -q push b1 -n --json | field 'j["data"]["limit"]'
drawhitch config set connection.bandwidth fast || echo "exit $?"
