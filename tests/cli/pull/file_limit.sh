# A shell's limit on the size of files is named, with the line that lifts it; the same pull then goes on.
. "$CLI_TESTS/road.sh.inc"
mkdir proj && cd proj
adopt_here --data-dir "$SCRATCH/data"
run_job r1 big.bin sh -c 'head -c 4000000 /dev/urandom > big.bin' || true
(ulimit -f 2000 && drawhitch pull b1 r1 2>&1 >/dev/null) | grep -E '^(why|next)' || true
drawhitch -q pull b1 r1 >/dev/null 2>&1 && drawhitch -q verify b1 r1 >/dev/null && echo whole
