# Whoever adopts the directory of another open lease again is told whose it is, live runs by name.
. "$CLI_TESTS/road.sh.inc"
mkdir proj && cd proj
adopt_here --data-dir "$SCRATCH/data"
drawhitch run b1 --no-outputs --name long -- sleep 300 >/dev/null 2>&1
drawhitch adopt b2 local --data-dir "$SCRATCH/data" 2>&1 >/dev/null | grep -o 'is also held.*'
drawhitch stop-run b1 long --yes >/dev/null 2>&1
