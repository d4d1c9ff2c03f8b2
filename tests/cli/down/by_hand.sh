# Pulled and proven: one question, the secrets go, and the lease stays open until its end is told.
. "$CLI_TESTS/rented.sh.inc"
rent_here
run_job r1 model.bin sh -c 'echo weights > model.bin'
drawhitch pull b1 r1 >/dev/null 2>&1
code=0
"$CLI_TESTS/with_terminal.py" --type 'y\n' --after '[y/N] ' drawhitch down b1 >shown || code=$?
echo "exit $code"
grep -c 'The gate is open' shown
grep 'Now, by hand' shown | tr -d '\r'
drawhitch ls --json | field 'j["data"]["leases"][0]["state"]'
drawhitch lease show b1 --json | field '[event["kind"] for event in j["data"]["events"]][-3:]'
python3 - <<'END'
import glob, json, os
path, = glob.glob(os.environ["XDG_STATE_HOME"] + "/drawhitch/reports/b1-1/report.json")
report = json.load(open(path))
print(report["schema"], report["end"]["state"], sorted(file["path"] for file in report["runs"][0]["files"]))
print(oct(os.stat(path).st_mode & 0o777))
END
