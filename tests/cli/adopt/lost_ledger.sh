# A ledger that was lost, or another laptop: what lies on the box is told, keeps the gate closed, and can be brought home.
. "$CLI_TESTS/rented.sh.inc"
rent_here >/dev/null
drawhitch -q run --name r1 --out 'ckpt/**' -- sh -c 'mkdir ckpt; printf abc >ckpt/a.pt' >/dev/null
until drawhitch -q ps b1 r1 | grep -q DONE; do :; done
clean() { sed -E "s,$SCRATCH,SCRATCH,g; s/[0-9]+ files, [0-9.]+ [A-Za-z]+/N files/; s/newest .* of [^)]*/newest X/"; }
export XDG_STATE_HOME="$SCRATCH/new-state"
mkdir -m 700 "$XDG_STATE_HOME"
drawhitch adopt b1 local --profile rented --data-dir "$SCRATCH/box" 2>&1 >/dev/null | clean
set +e
drawhitch down b1 -n 2>/dev/null | grep unknown-run -A 4 | clean; echo "exit ${PIPESTATUS[0]}"
$(drawhitch -q down b1 --json -n 2>/dev/null | python3 -c 'import json, sys; reasons = json.load(sys.stdin)["data"]["gate"]["reasons"]; print(next(r["next"] for r in reasons if r["id"] == "unknown-run"))') >/dev/null 2>&1; echo "exit $?"
cat "pulls/b1/_box$SCRATCH/box/drawhitch/"*/runs/r1/work/ckpt/a.pt; echo
drawhitch -q down b1 -n >/dev/null 2>&1; echo "exit $?"
