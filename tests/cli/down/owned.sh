# A machine that was not rented is let go at once, and nothing on it is touched.
. "$CLI_TESTS/road.sh.inc"
adopt_here
run_job r1 model.bin sh -c 'echo weights > model.bin'
drawhitch down b1 --yes --json >answer
field 'j["exit"], j["data"]["end"]["state"], j["data"]["plan"]["billing"]' <answer
drawhitch ls --json | field 'j["data"]["leases"]'
drawhitch lease show b1 --json | field 'j["data"]["state"]'
ls ~/drawhitch/*/runs/r1/work/model.bin | wc -l
