# A run's file with a name that the pull keeps for itself comes home beside it, is proven, and opens the gate.
. "$CLI_TESTS/rented.sh.inc"
mkdir proj && cd proj
rent_here
run_job r1 '**' sh -c 'mkdir .drawhitch _run; for f in MANIFEST.json SHA256SUMS SHA256SUMS.box; do echo "{}" > $f; done; echo 1 > .drawhitch/state; echo mine > _run/log; echo w > model.bin'
gate() {
    { drawhitch down b1 -n 2>&1 || true; } | grep -oE 'r1: .*(has no proven copy|changed since it was pulled)|next: drawhitch [a-z]+ b1.*' || true
}
gate
drawhitch pull b1 r1 SHA256SUMS -n --json 2>told | field '[f["path"] for f in j["data"]["files"] if f["state"] == "planned"]'
grep -o 'would be called.*' told
drawhitch pull b1 r1 --json 2>told | field 'sorted(f["path"] for f in j["data"]["files"] if f["certified"]), [r["to"] for r in j["data"]["renamed"]]'
grep -c 'here: the pull keeps that name for itself' told
ls -A pulls/b1/r1
(cd pulls/b1/r1 && sha256sum -c --strict --quiet SHA256SUMS && cat _run.box/log .drawhitch.box/state)
grep -o '"on_box":"[^"]*"' pulls/b1/r1/MANIFEST.json | sort
drawhitch -q verify b1 r1 >/dev/null && echo "verify: good"
gate
echo changed >"$SCRATCH/box/drawhitch/proj/runs/r1/work/MANIFEST.json"
gate
drawhitch -q pull b1 r1 MANIFEST.json >/dev/null 2>&1 && cat pulls/b1/r1/MANIFEST.json.box
gate
