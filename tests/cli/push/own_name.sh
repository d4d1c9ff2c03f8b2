# A directory of the user's that is called as ours never goes, and is named; what our own pulls left there is not.
. "$CLI_TESTS/road.sh.inc"
mkdir proj && cd proj
adopt_here --data-dir "$SCRATCH/data"
printf 'print()\n' >train.py
mkdir -p .drawhitch/pull-0123456789abcdef sub/.drawhitch
drawhitch push b1 2>&1 >/dev/null | grep -c drawhitch: || true
echo mine >.drawhitch/settings.json
drawhitch push b1 --json 2>said | field '[f["path"] for f in j["data"]["left_out"]]' || true
grep '^warning' said
