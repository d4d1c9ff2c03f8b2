# run pushes with the repairs of the last push: what --fix-eol mended does not come back unmended.
. "$CLI_TESTS/road.sh.inc"
adopt_here
printf '#!/bin/sh\r\necho mended\r\n' >go.sh
drawhitch -q push b1 --fix-eol >/dev/null 2>&1
drawhitch run b1 --no-outputs -- ./go.sh 2>err.txt >/dev/null
grep -E 'go.sh|fix_eol' err.txt
drawhitch watch b1 r1 >/dev/null 2>&1
drawhitch logs b1 r1 2>/dev/null
# A push without the option is the last word, and says what it leaves broken.
drawhitch push b1 2>err.txt >/dev/null
grep 'go.sh: lines' err.txt
drawhitch run b1 --no-outputs -- ./go.sh >/dev/null 2>&1 || true
drawhitch watch b1 r2 --json 2>/dev/null >out.json || true
field '[(r["verdict"], r["exit_code"], r["cause"]) for r in j["data"]["runs"]]' <out.json
field '[e for r in j["data"]["runs"] for e in r["evidence"] if "carriage" in e]' <out.json
