# With a run's name the evidence of its verdict is shown.
. "$CLI_TESTS/road.sh.inc"
adopt_here
run_job r1 '*.bin' sh -c 'exit 3' || true
drawhitch ps b1 r1
