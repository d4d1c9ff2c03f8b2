# A name is claimed once; the second launch says so and starts nothing.
. "$CLI_TESTS/road.sh.inc"
adopt_here
drawhitch -q run b1 --name exp1 --no-outputs -- sh -c 'echo ran >>../count; exec sleep 60' >/dev/null
trap 'drawhitch -q stop-run b1 exp1 --grace 0s >/dev/null' EXIT
if drawhitch run b1 --name exp1 --no-outputs --no-push -- sleep 60; then exit 99; else echo "exit code $?"; fi
while [ ! -s "$HOME"/drawhitch/*/runs/exp1/count ]; do :; done
cat "$HOME"/drawhitch/*/runs/exp1/count
