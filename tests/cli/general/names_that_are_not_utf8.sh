# Bytes survive in JSON as base64, are escaped in TSV, and land under their own name.
. "$CLI_TESTS/road.sh.inc"
adopt_here
run_job r1 '*.bin' sh -c "printf weights > \$(printf 'odd\\377\\033[31m.bin')"
drawhitch pull b1 r1 --json 2>/dev/null | field '[f["path"] for f in j["data"]["files"] if "b64" in f["path"]]'
drawhitch -q verify pulls/b1/r1 | grep -a odd | cut -f 1
cat "$(printf 'pulls/b1/r1/odd\377\033[31m.bin')"
