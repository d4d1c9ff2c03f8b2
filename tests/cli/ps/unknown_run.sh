# A run that does not exist is named.
. "$CLI_TESTS/road.sh.inc"
adopt_here
drawhitch ps b1 r9
