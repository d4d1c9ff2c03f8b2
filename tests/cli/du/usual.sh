# Without a path: the project's directory and the home, not twice what lies in both, and a cache that is a link by where it
# really lies; the tier that is the whole machine is a mount only.
. "$CLI_TESTS/road.sh.inc"
mkdir -p "$HOME/.cache/torch" "$SCRATCH/elsewhere/hf"
printf 'print(1)\n' >train.py
head -c 200000 /dev/zero >"$SCRATCH/elsewhere/hf/weights"
ln -s "$SCRATCH/elsewhere/hf" "$HOME/.cache/huggingface"
adopt_here --data-dir "$HOME/data"
drawhitch push >/dev/null 2>&1
drawhitch -q du b1 --depth 0 --json >out.json
python3 - <<'PY'
import json, os
data = json.load(open("out.json"))["data"]
scratch = os.environ["SCRATCH"]
for row in data["usage"]:
    if not row["path"].startswith(scratch):
        continue
    print(row["path"].replace(scratch, ""), row["place"], (row["asked"] or "-").replace(scratch, ""))
    if row["path"].endswith("/hf"):
        print(row["apparent"], row["entries"])
    print("  ", row["tier"], row["survives_stop"], row["survives_down"])
print(any(mount["mount"] == "/" and "disk" in mount["tier"] for mount in data["mounts"]))
PY
