# Machines get the SHA-256 of what was copied, whichever way it went.
drawhitch -q adopt b1 local --data-dir "$SCRATCH/data" >/dev/null
printf abc >f
sums() { python3 -c 'import json, sys; print(*(f["sha256"] for f in json.load(sys.stdin)["data"]["files"]))'; }
drawhitch -q cp f "b1:$SCRATCH/dir/" --json | sums
drawhitch -q cp f "b1:$SCRATCH/dir/" --json | sums
drawhitch -q cp "b1:$SCRATCH/dir/f" g --json | sums
