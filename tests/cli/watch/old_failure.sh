# How an older run ended says nothing about the newest; a box that does not answer is no failed job.
. "$CLI_TESTS/road.sh.inc"
adopt_here
run_job r1 '*.bin' sh -c 'exit 3' || true
run_job r2 '*.bin' sh -c 'echo x >a.bin'
drawhitch watch b1 --json 2>/dev/null | field 'j["exit"], [[r["run"], r["verdict"]] for r in j["data"]["runs"]]'
code=0
drawhitch watch b1 r1 >/dev/null 2>&1 || code=$?
echo "r1: exit code $code"
drawhitch ps b1 >/dev/null
drawhitch run b1 --name r3 --no-outputs --json -- sleep 60 2>/dev/null | field 'j["next"]'
trap 'drawhitch -q stop-run b1 r3 --grace 0s >/dev/null' EXIT
drawhitch watch b1 --once --json 2>/dev/null | field 'j["exit"], [[r["run"], r["verdict"]] for r in j["data"]["runs"]]'
