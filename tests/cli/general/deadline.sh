# A deadline that passed leads to the same command with a longer one.
. "$CLI_TESTS/road.sh.inc"
adopt_here
drawhitch doctor b1 --timeout 0.001s 2>&1 || echo "exit $?"
