drawhitch -C "$SCRATCH/nowhere" version
