# A checkpoint that is damaged on the box: the newest whole one is named, and where to look at the bad one.
. "$CLI_TESTS/road.sh.inc"
adopt_here --data-dir "$SCRATCH/data"
cat >job.py <<'P'
import zipfile
for step in (100, 200, 300):
    with zipfile.ZipFile(f"ckpt-{step}.pt", "w") as file:
        file.writestr("archive/data.pkl", b"x" * 5000)
        file.writestr("archive/version", b"3")
with open("ckpt-300.pt", "r+b") as file:
    file.truncate(2000)
P
run_job r1 '*.pt' python3 job.py
drawhitch -q pull b1 r1 2>&1 >/dev/null | grep -E '^(error|why|next)' || true
