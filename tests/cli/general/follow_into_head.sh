# A reader that has seen enough ends a command that follows.
. "$CLI_TESTS/road.sh.inc"
adopt_here
drawhitch run b1 --name r1 --out none.bin -- sh -c 'while :; do echo line; sleep 0.1; done' >/dev/null 2>&1
timeout 60 drawhitch logs b1 r1 -f 2>/dev/null | head -n 1
drawhitch stop-run b1 r1 --grace 1 >/dev/null 2>&1 || echo "stop-run: exit $?"
