# All that is known about a lease, as one document; the closed ones, too.
. "$CLI_TESTS/road.sh.inc"
adopt_here
run_job r1 model.bin sh -c 'echo weights > model.bin'
drawhitch pull b1 r1 >/dev/null 2>&1
drawhitch lease close b1 --yes --reason 'sold' >/dev/null 2>&1
drawhitch lease export b1 >document
field 'j["schema"], j["lease"]["state"], j["lease"]["state_reason"]' <document
field 'sorted(f["path"] for r in j["runs"][0]["receipts"] for f in r["files"])' <document
field 'j["runs"][0]["roster"], [e["kind"] for e in j["events"]]' <document
drawhitch lease export b1 --json | field 'j["ok"], j["data"]["lease"]["schema"]'
