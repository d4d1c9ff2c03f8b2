# A box whose end was asked for and is not proven takes no run unasked, and the refused one leaves no trace there.
. "$CLI_TESTS/rented.sh.inc"
rent_here
run_job r1 model.bin sh -c 'echo weights > model.bin'
drawhitch pull b1 r1 >/dev/null 2>&1
drawhitch -q -y down b1 >/dev/null 2>&1 || echo "down exits with $?"
drawhitch ls --json | field 'j["data"]["leases"][0]["state"]'
code=0
drawhitch --no-input run b1 --name late --no-outputs -- true >/dev/null 2>err.txt || code=$?
echo "exit code $code"
cat err.txt
ls "$SCRATCH"/box/drawhitch/*/runs
drawhitch -q -y run b1 --name late --no-outputs --json -- true | field 'j["ok"]'
