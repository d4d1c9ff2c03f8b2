# A list that cannot be read is written anew by the pull whose directory it is, and that is the next line.
. "$CLI_TESTS/road.sh.inc"
mkdir proj && cd proj
adopt_here --data-dir "$SCRATCH/data"
run_job r1 model.bin sh -c 'echo w > model.bin' || true
drawhitch -q pull b1 r1 >/dev/null 2>&1
printf '{"schema": "drawhitch.mani' >pulls/b1/r1/MANIFEST.json
for words in 'b1 r1' 'b1' 'pulls/b1/r1'; do
    # shellcheck disable=SC2086
    drawhitch verify $words 2>&1 >/dev/null | grep -E '^(error|next)' || true
done
drawhitch -q pull b1 r1 >/dev/null 2>&1 && drawhitch -q verify b1 r1 >/dev/null && echo "whole again"
