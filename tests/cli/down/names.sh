# What nothing explains is given up by name, and then the box's name must be typed: --yes types nothing.
. "$CLI_TESTS/rented.sh.inc"
rent_here
run_job r1 model.bin sh -c 'echo weights > model.bin'
drawhitch pull b1 r1 >/dev/null 2>&1
mkdir "$SCRATCH/box/notes"
echo precious >"$SCRATCH/box/notes/ideas"
try() {
    local code=0
    drawhitch down b1 --yes --json "$@" >answer 2>/dev/null || code=$?
    echo "exit $code: $(field '[r["id"] for r in j["data"].get("gate", {}).get("reasons", [])]' <answer)"
}
try
try --lose "$SCRATCH/box/nothing"
try --lose relative
try --lose "$SCRATCH/box/notes"
field 'j["next"][0].replace("'"$SCRATCH"'", "$SCRATCH")' <answer
try --lose "$SCRATCH/box/notes" --confirm b2
try --lose "$SCRATCH/box/notes" --confirm b1 -n
try --lose "$SCRATCH/box/notes" --confirm b1
cat "$SCRATCH/box/notes/ideas"
