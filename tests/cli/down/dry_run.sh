# A dry run is called one, and what it says to type next keeps every name it was given.
. "$CLI_TESTS/rented.sh.inc"
rent_here
run_job r1 model.bin sh -c 'echo weights > model.bin'
try() {
    code=0
    drawhitch down -n b1 "$@" >/dev/null 2>said || code=$?
    grep -v '^looking' said | sed "s|$SCRATCH|HERE|g"
    echo "exit $code"
}
try
drawhitch pull b1 r1 >/dev/null 2>&1
mkdir -p "$SCRATCH/box/notes"
echo precious >"$SCRATCH/box/notes/ideas.txt"
try
try --lose "$SCRATCH/box/notes"
