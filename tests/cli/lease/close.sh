# What is not proven must be given up by name; -y alone gives up nothing. Afterwards the lease is history.
. "$CLI_TESTS/road.sh.inc"
adopt_here
run_job r1 model.bin sh -c 'echo weights > model.bin'
drawhitch lease close b1 -y 2>&1 || echo "exit $?"
"$CLI_TESTS/with_terminal.py" --type 'b2\n' --after 'go on: ' drawhitch lease close b1 || echo "exit $?"
drawhitch ls | cut -f 1,3
drawhitch lease close b1 -y --lose r1
drawhitch ls
drawhitch ls --all | cut -f 1,3
drawhitch lease close b1
