# Where nothing is named it is about the newest pull of the usual box, or the directory one stands in.
. "$CLI_TESTS/road.sh.inc"
drawhitch -q verify || echo "exit $?"
adopt_here
drawhitch -q verify || echo "exit $?"
run_job r1 a.pt sh -c 'printf abc >a.pt'
drawhitch -q pull b1 r1 >/dev/null
run_job r2 b.pt sh -c 'printf abc >b.pt'
drawhitch verify 2>&1 | grep -o '^verifying.*\|^[0-9] of [0-9] files are what was pulled'
drawhitch -q pull b1 r2 >/dev/null
drawhitch -q verify | grep b.pt
drawhitch -q -C pulls/b1/r1 verify | grep a.pt
run_job r3 c.pt sh -c 'printf abc >c.pt'
drawhitch -q pull b1 r3 --to else/where >/dev/null
drawhitch -q verify | grep c.pt
