# A damaged list in a directory that was named by its path: the ledger knows whose pull landed there, and by which link.
. "$CLI_TESTS/road.sh.inc"
mkdir proj && cd proj
adopt_here --data-dir "$SCRATCH/data"
run_job r1 model.bin sh -c 'echo w > model.bin' || true
drawhitch -q pull b1 r1 --to ../else >/dev/null 2>&1
ln -s else ../link
for directory in ../else ../link/.; do
    printf '{"schema": "drawhitch.mani' >../else/MANIFEST.json
    { drawhitch verify "$directory" 2>&1 >/dev/null || true; } | grep -E '^(error|next)'
    next=$(drawhitch verify "$directory" --json 2>/dev/null | python3 -c 'import json, sys; print(json.load(sys.stdin)["next"][0])') || true
    eval "$next" >/dev/null 2>&1 && drawhitch -q verify ../else >/dev/null && echo "whole again"
done
rm ../else/MANIFEST.json
{ drawhitch verify ../else 2>&1 >/dev/null || true; } | grep -E '^(error|next)'
