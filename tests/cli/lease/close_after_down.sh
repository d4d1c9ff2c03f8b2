# Closing looks at no box, so it tells what the last look saw: when a run was seen live, and what nothing explained.
. "$CLI_TESTS/rented.sh.inc"
rent_here
drawhitch -q run b1 --name r1 --out 'x' -- sleep 300 >/dev/null 2>&1
echo stray >"$SCRATCH/box/notes.txt"
drawhitch -q down b1 >/dev/null 2>&1 || echo "exit $?"
drawhitch -q lease close b1 -n 2>&1 | sed -E "s,$SCRATCH,SCRATCH,g; s/[0-9-]{10}T[0-9:]+Z/TIME/g"
drawhitch -q stop-run b1 r1 --grace 1s >/dev/null 2>&1
