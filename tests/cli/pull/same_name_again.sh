# A box that takes an ended one's name has a place of its own: runs of one name never meet, and no old receipt counts.
. "$CLI_TESTS/road.sh.inc"
adopt_here --data-dir "$SCRATCH"
run_job r1 model.bin sh -c 'echo first > model.bin'
drawhitch pull b1 r1 >/dev/null 2>&1
drawhitch lease close b1 --yes >/dev/null 2>&1
mkdir "$SCRATCH/other"
adopt_here --data-dir "$SCRATCH/other"
run_job r1 model.bin sh -c 'echo second > model.bin'
drawhitch ls --json | field 'j["data"]["leases"][0]["at_risk"]'
drawhitch pull b1 >/dev/null 2>&1
cat pulls/b1/r1/model.bin pulls/b1@2/r1/model.bin
drawhitch verify b1 r1 --json 2>/dev/null | field 'j["ok"]'
drawhitch ls --all --json | field '[(l["box"], l["lease"], l["state"]) for l in j["data"]["leases"]]'
drawhitch show b1 --json | field 'j["data"]["earlier"]'
