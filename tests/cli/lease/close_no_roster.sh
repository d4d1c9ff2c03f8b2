# A run that nobody declared, and a roster that matched nothing, are given up by name: --yes alone gives up nothing.
. "$CLI_TESTS/road.sh.inc"
adopt_here
drawhitch run b1 --name r1 -- sh -c 'echo weights > model.bin' >/dev/null 2>&1
run_job r2 'ckpt/**' sh -c 'echo weights > model.bin' || true
drawhitch pull b1 r1 >/dev/null 2>&1 || true
drawhitch pull b1 r2 >/dev/null 2>&1 || true
drawhitch ls --json | field '"\n".join(r["reason"] for r in j["data"]["leases"][0]["at_risk"])'
code=0
drawhitch lease close b1 -y --lose r1 --reason 'sold it' 2>error || code=$?
echo "exit $code"
grep next: error
drawhitch lease close b1 -y --lose r1 --lose r3 2>/dev/null || echo "exit $?"
drawhitch ls | cut -f 1,3
# Declared afterwards, and pulled, nothing is left to ask about.
drawhitch pull b1 r1 --out 'nothing/*' 2>/dev/null || echo "exit $?"
drawhitch pull b1 r1 --out model.bin >/dev/null 2>&1 || echo "exit $?"
drawhitch pull b1 r2 --out '**' >/dev/null 2>&1 || echo "exit $?"
drawhitch lease close b1 -y 2>/dev/null
