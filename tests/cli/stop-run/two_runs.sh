# One run is ended, the other goes on; ending it again sends nothing.
. "$CLI_TESTS/road.sh.inc"
adopt_here
drawhitch -q run b1 --no-outputs -- sleep 60 >/dev/null
drawhitch -q run b1 --no-outputs --no-push -- sleep 60 >/dev/null
trap 'drawhitch -q stop-run b1 r2 --grace 0s >/dev/null' EXIT
drawhitch stop-run b1 r1 | cut -f2,3,5,6
drawhitch ps b1 | cut -f2,3
drawhitch stop-run b1 r1 --json | field 'j["exit"], j["data"]["had_ended"], j["data"]["signal"]'
