# A file system mounted inside is a row of its own and no part of the sum around it; its tier says what outlives the box.
. "$CLI_TESTS/privileges.sh.inc"
. "$CLI_TESTS/skip.sh.inc"
can_mount || skip_without user namespaces
mkdir -p "$SCRATCH/box/volume" "$SCRATCH/box/own"
printf 'x' >"$SCRATCH/box/own/file"
cat >look.sh <<'SH'
drawhitch -q adopt b1 local --data-dir "$SCRATCH/data" >/dev/null 2>&1
head -c 200000 /dev/zero >"$SCRATCH/box/volume/big"
mkdir "$SCRATCH/box/volume/sub" "$SCRATCH/box/again"
mount --bind "$SCRATCH/box/volume" "$SCRATCH/box/again"
drawhitch du b1 "$SCRATCH/box" --json 2>told | python3 -c '
import json, os, sys
scratch = os.environ["SCRATCH"]
data = json.load(sys.stdin)["data"]
for row in data["usage"]:
    print(row["path"].replace(scratch, ""), row["allocated"] // 100000, row["entries"], row["mount"].replace(scratch, "") if scratch in row["mount"] else "outside", row["place"])
for mount in data["mounts"]:
    if scratch in mount["mount"]:
        print(mount["mount"].replace(scratch, ""), mount["type"], mount["device"], mount["bytes_total"], mount["inodes_total"],
              mount["bytes_total"] - mount["bytes_free"] == mount["bytes_used"], mount["inodes_used"] >= 3, mount["tier"], mount["survives_down"])
'
sed "s,$SCRATCH,," told
SH
with_tiny_disk "$SCRATCH/box/volume" size=1m,nr_inodes=64 bash look.sh
