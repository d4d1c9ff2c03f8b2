# A run without outputs is told after its start that the gate stays closed, with the command that declares them.
. "$CLI_TESTS/rented.sh.inc"
rent_here
drawhitch run b1 --env 'NOTE=two words' --json -- sleep 60 2>err.txt | field '"\n".join(j["warnings"])'
trap 'drawhitch -q stop-run b1 r1 --grace 0s >/dev/null' EXIT
grep -c 'no outputs are declared' err.txt
drawhitch run b1 --name r1 -- true 2>&1 >/dev/null | grep -c 'no outputs' || echo a refused one says nothing of it
drawhitch -n run b1 --no-outputs -- true 2>&1 >/dev/null
drawhitch -n run b1 --out '*.bin' -- true 2>&1 >/dev/null
