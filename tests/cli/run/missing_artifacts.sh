# Exit code 0 without its artifacts is no success.
. "$CLI_TESTS/road.sh.inc"
adopt_here
# A job this short may be over when the second connection looks: then `run` itself says 12.
drawhitch -q run b1 --out '*.bin' -- true >/dev/null || test $? = 12
drawhitch -q watch b1 --every 1s >seen || code=$?
head -n 1 seen | cut -f2,3,4,6
exit "$code"
