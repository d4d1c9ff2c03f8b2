# The only copy is on the box: the gate stays closed, and --yes does not open it.
. "$CLI_TESTS/rented.sh.inc"
rent_here --price-hour 2
run_job r1 model.bin sh -c 'echo weights > model.bin'
code=0
drawhitch down b1 --yes --json >answer || code=$?
echo "exit $code"
field 'j["ok"], j["exit"], j["data"]["gate"]["open"], j["data"]["end"]["state"]' <answer
field '"\n".join(r["id"] + " " + r["subject"].split("/runs/")[1] for r in j["data"]["gate"]["reasons"])' <answer
field 'j["data"]["plan"]["billing"]' <answer
field 'j["error"]["id"], j["next"]' <answer
drawhitch ls --json | field 'j["data"]["leases"][0]["state"]'
