# No ledger, no configuration, no directory: looking at the version leaves no trace.
drawhitch version >/dev/null
find "$SCRATCH/home" "$SCRATCH/config" "$SCRATCH/state" "$SCRATCH/cache" -mindepth 1
