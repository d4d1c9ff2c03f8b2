# Of the user's own machine nothing dies: that is said, and what was not pulled is named.
. "$CLI_TESTS/road.sh.inc"
adopt_here
drawhitch -q run b1 --name r1 -- sh -c 'echo weights > model.bin' 2>&1 >/dev/null
drawhitch -q watch b1 >/dev/null 2>&1
drawhitch run b1 --name r2 -- true 2>&1 >/dev/null | grep 'no outputs'
drawhitch -q watch b1 >/dev/null 2>&1
drawhitch -q down b1 -n 2>&1 | grep -E 'not pulled|gate'
