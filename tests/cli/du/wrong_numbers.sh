drawhitch -q adopt b1 local --data-dir "$SCRATCH/data" >/dev/null 2>&1
drawhitch du b1 --depth -1 || echo "exit $?"
drawhitch du b1 --top 1000000000 || echo "exit $?"
