# A checkpoint that is damaged on the box: pull, verify and the gate say that the copy there is the bad one, and which
# one of before is whole.
. "$CLI_TESTS/rented.sh.inc"
rent_here
cat >job.py <<'P'
import zipfile
for step in (100, 200, 300):
    with zipfile.ZipFile(f"ckpt-{step}.pt", "w") as file:
        file.writestr("archive/data.pkl", b"x" * 5000)
        file.writestr("archive/version", b"3")
with open("ckpt-300.pt", "r+b") as file:
    file.truncate(2000)
with open("best.bin", "wb") as file:
    file.write(b"best")
P
run_job r1 '*.*' python3 job.py
cat >whys.py <<'P'
import json, sys
print([(f["path"], f["state"], f["structure"], f["why"]) for f in json.load(sys.stdin)["data"]["files"] if f["structure"] == "broken"])
P
drawhitch -q pull b1 r1 2>&1 >/dev/null | grep -E '^(error|why|next)' || true
{ drawhitch pull b1 r1 --json 2>/dev/null || true; } | python3 whys.py
{ drawhitch verify b1 r1 --json 2>/dev/null || true; } | python3 whys.py
{ drawhitch -q down b1 -n 2>/dev/null || true; } | grep -A1 'ckpt-300'
