# The directory that was typed is named, and not what would have been made in it; a colon left out is shown.
. "$CLI_TESTS/privileges.sh.inc"
drawhitch -q adopt b1 local --data-dir "$SCRATCH/data" >/dev/null
mkdir -m 555 "$SCRATCH/closed"
printf a >a.txt
as_user drawhitch -q cp a.txt "b1:$SCRATCH/closed/x" || echo "exit $?"
as_user drawhitch -q cp a.txt "b1:$SCRATCH/closed/deep/er/" || echo "exit $?"
drawhitch -q cp a.txt b1 || echo "exit $?"
drawhitch -q cp b1 . || echo "exit $?"
ls -A "$SCRATCH/closed"
