# A change of verdict is told when it is seen, not only at the end, and told once; a look that finds nothing new is told by
# a line of its own.
. "$CLI_TESTS/road.sh.inc"
mkdir project && cd project
adopt_here
drawhitch run b1 --name r1 --no-outputs -- sh -c "while ! [ -e '$SCRATCH/go' ]; do sleep 0.1; done" >/dev/null 2>&1
: >"$SCRATCH/told"
drawhitch watch b1 --every 1s >/dev/null 2>"$SCRATCH/told" &
for _ in $(seq 200); do
    grep -q '^r1 RUNNING' "$SCRATCH/told" && break
    sleep 0.1
done
for _ in $(seq 200); do
    grep -q '^b1: r1 RUNNING' "$SCRATCH/told" && echo "nothing new is told, too" && break
    sleep 0.1
done
touch "$SCRATCH/go"
wait $! && echo "watch ended well"
grep -c '^r1 RUNNING' "$SCRATCH/told"
grep -c '^r1 DONE' "$SCRATCH/told"
