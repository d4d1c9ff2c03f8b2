# A later pull into the same place replaces nothing of the user's: it is moved aside, told, and told again in the manifest.
. "$CLI_TESTS/road.sh.inc"
mkdir proj && cd proj
adopt_here --data-dir "$SCRATCH/data"
run_job r1 'out/**' sh -c 'mkdir out; echo box > out/a; echo box > out/b; echo box > out/c' || true
mkdir mine && mkdir mine/out && echo box > mine/out/c
drawhitch -q pull b1 r1 --to mine > /dev/null
echo "edited here" > mine/out/a
echo "edited, and only found equal before" > mine/out/c
echo notes > mine/out/d
echo box > "$SCRATCH/data/drawhitch/proj/runs/r1/work/out/d"
drawhitch -q pull b1 r1 --to mine -n 2>&1 > /dev/null | sort
ls mine/out
drawhitch pull b1 r1 --to mine --json 2> told | field 'j["data"]["moved_aside"]'
grep -c 'moved aside' told
(cd mine/out && grep . -- *)
grep -o '"to":"[^"]*"' mine/MANIFEST.json | sort
drawhitch -q verify mine > /dev/null && echo "the rest is what was pulled"
drawhitch -q pull b1 r1 --to mine --json 2> /dev/null | field 'j["data"]["moved_aside"]'
mkdir other && mkdir other/out && echo only > other/out/a
drawhitch -q pull b1 r1 --to other > /dev/null 2>&1 || echo "exit $?"
cat other/out/a
