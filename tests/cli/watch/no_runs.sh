# Nothing to watch is an error with the next command.
. "$CLI_TESTS/road.sh.inc"
adopt_here
drawhitch watch b1 --once
