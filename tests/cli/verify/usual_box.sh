# A run alone is one of the box that is meant where none is named.
. "$CLI_TESTS/road.sh.inc"
adopt_here
run_job r1 a.pt sh -c 'printf abc >a.pt'
drawhitch -q pull >/dev/null
drawhitch -q verify r1 | grep a.pt
drawhitch -q verify r2 || echo "exit $?"
