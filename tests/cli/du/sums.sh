# Bytes on disk, of the contents and entries, the largest directories first; nothing is followed but the path itself, and a
# file of several names weighs once.
. "$CLI_TESTS/road.sh.inc"
adopt_here --data-dir "$SCRATCH/data"
mkdir -p "$SCRATCH/tree/large/deep" "$SCRATCH/tree/small" "$SCRATCH/tree/.drawhitch" "$SCRATCH/elsewhere"
head -c 300000 /dev/zero >"$SCRATCH/tree/large/deep/a"
sync "$SCRATCH/tree/large/deep/a" # some file systems count blocks late
ln "$SCRATCH/tree/large/deep/a" "$SCRATCH/tree/small/again"
head -c 1000 /dev/zero >"$SCRATCH/tree/.drawhitch/ours"
truncate -s 1G "$SCRATCH/tree/small/sparse"
head -c 500000 /dev/zero >"$SCRATCH/elsewhere/not_counted"
ln -s "$SCRATCH/elsewhere" "$SCRATCH/tree/small/link"
ln -s "$SCRATCH/tree" "$SCRATCH/way"
told() {
    python3 -c '
import json, os, sys
for row in json.load(sys.stdin)["data"]["usage"]:
    path = row["path"].replace(os.environ["SCRATCH"], "")
    print(path, row["allocated"] // 100000, row["apparent"] // 1000, row["entries"], row["inodes"])'
}
drawhitch -q du b1 "$SCRATCH/way" --json | told
echo "two levels, the largest"
drawhitch -q du b1 "$SCRATCH/tree" --depth 2 --top 1 --json | tee out.json | told
field 'j["data"]["left_out"]' <out.json
drawhitch du b1 "$SCRATCH/tree" --top 1 2>&1 >/dev/null
echo "a file, and what is not there"
drawhitch -q du b1 "$SCRATCH/tree/large/deep/a" "$SCRATCH/none" --json >out.json || echo "exit $?"
told <out.json
field 'j["exit"], j["data"]["unreadable"], j["data"]["missed"][0]["why"]' <out.json
drawhitch du b1 "$SCRATCH/none" || echo "exit $?"
