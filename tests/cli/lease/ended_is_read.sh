# A lease that has ended is named BOX@LEASE: while its box is there, its runs are read, and nothing there is changed.
. "$CLI_TESTS/rented.sh.inc"
rent_here
run_job r1 model.bin sh -c 'echo weights > model.bin'
drawhitch lease close b1 --lose r1 --yes >/dev/null 2>&1 || drawhitch lease close b1 --lose r1 --no-input 2>&1 | tail -1
say() {
    code=0
    "$@" >out 2>said || code=$?
    echo "exit $code: $(grep -v '^looking' said | grep -E '^(error|why|next)' | tr '\n' ' ' | sed "s|$SCRATCH|HERE|g")"
}
echo "--- by its name alone"
say drawhitch pull b1 r1
echo "--- read"
say drawhitch ps b1@1
cut -f1-3 out | head -n 1
say drawhitch pull b1@1 r1
find . -name model.bin
say drawhitch verify b1@1 r1 --box b1@1
say drawhitch logs b1@1 r1
say drawhitch watch b1@1 --once
say drawhitch show b1@1
say drawhitch cp "b1@1:$(echo "$SCRATCH"/box/drawhitch/*/runs/r1/work/model.bin)" copied
cat copied
echo "--- known by number"
say drawhitch lease show 1
say drawhitch lease export 1
say drawhitch lease export b1@1
say drawhitch lease show 7
echo "--- not changed"
for verb in push down; do say drawhitch $verb b1@1; done
say drawhitch stop-run b1@1 r1
say drawhitch exec b1@1 -- true
say drawhitch run b1@1 -- true
say drawhitch cp copied b1@1:/tmp/
say drawhitch pull b2@1 r1
echo "--- beside the next lease"
rent_here
say drawhitch pull b1@1 r1
say drawhitch pull b1@2 r1
say drawhitch ps b1@2
echo "--- another lease's disk"
echo 00112233445566778899aabbccddeeff >"$(echo "$SCRATCH"/box/drawhitch/*/lease-nonce)"
say drawhitch pull b1@1 r1
