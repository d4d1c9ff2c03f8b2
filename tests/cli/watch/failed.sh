# A failed run ends a watch like any failed command: an error, the next command, and all its data.
. "$CLI_TESTS/road.sh.inc"
adopt_here
run_job r1 '*.bin' sh -c 'echo x >a.bin'
run_job r2 '*.bin' sh -c 'echo oh no; exit 3' || true
code=0
drawhitch watch b1 --json 2>err.txt >out.json || code=$?
echo "exit code $code"
grep -e '^error' -e '^why' -e '^next' err.txt
field 'j["ok"], j["exit"], j["error"]["id"], j["error"]["message"], j["next"]' <out.json
field '[[r["run"], r["verdict"], r["exit_code"]] for r in j["data"]["runs"]]' <out.json
drawhitch logs b1 r2
