# A box that was adopted anew still holds the old runs: the free name that is offered is free there, too.
. "$CLI_TESTS/road.sh.inc"
adopt_here
run_job r1 '*.bin' sh -c 'echo x >a.bin'
run_job r2 '*.bin' sh -c 'echo x >a.bin'
drawhitch -q lease close b1 --lose r1 --lose r2 --yes >/dev/null 2>&1
adopt_here
drawhitch run b1 --name r1 --no-outputs -- true 2>err.txt >/dev/null || true
grep -E '^(error|next)' err.txt
bash -c "$(sed -n 's/^next: //p' err.txt)" >/dev/null 2>&1 && echo it starts
