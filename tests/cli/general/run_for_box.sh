# A run's name where several boxes are leased: it is said that a box was expected, and the line that has one is shown.
. "$CLI_TESTS/road.sh.inc"
adopt_here
run_job r1 out.txt sh -c 'echo 1 >out.txt'
drawhitch run b1 --name s1 --no-outputs -- true >/dev/null 2>&1
drawhitch watch b1 s1 2>&1 | grep '^next' || echo "nothing to pull"
drawhitch stop-run r7 2>&1 || true
sed -i '/^box/d' drawhitch.toml
drawhitch adopt b2 local >/dev/null 2>&1
sed -i '/^box/d' drawhitch.toml
drawhitch stop-run r1 2>&1 || true
drawhitch __complete -- pull b1 r
drawhitch __complete -- cp b
