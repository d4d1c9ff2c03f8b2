# Ctrl-C ends a command that would wait for ever, with code 130, and the screen is left clean.
. "$CLI_TESTS/road.sh.inc"
adopt_here
drawhitch run b1 --name r1 --out none.bin -- sh -c 'echo started; sleep 300' >/dev/null 2>&1
code=0
"$CLI_TESTS/with_terminal.py" --type '\x03' --after started drawhitch logs b1 r1 -f > shown || code=$?
echo "exit $code"
grep -c E-CANCELLED shown
drawhitch stop-run b1 r1 --grace 1 >/dev/null 2>&1 || echo "stop-run: exit $?"
