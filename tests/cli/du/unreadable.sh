# What may not be read is named and counted, and everything else is told: exit 3.
. "$CLI_TESTS/privileges.sh.inc"
drawhitch -q adopt b1 local --data-dir "$SCRATCH/data" >/dev/null 2>&1
mkdir -p "$SCRATCH/tree/closed" "$SCRATCH/tree/open"
printf a >"$SCRATCH/tree/open/a"
chmod 000 "$SCRATCH/tree/closed"
as_user drawhitch -q du b1 "$SCRATCH/tree" >rows || echo "exit $?"
chmod 700 "$SCRATCH/tree/closed"
grep -c . rows >/dev/null
sed -n "s,$SCRATCH,,p" rows | cut -f1,4,6 | grep '^/tree' | tr '\t' ' '
tail -1 rows | sed "s,$SCRATCH,," | tr '\t' ' '
