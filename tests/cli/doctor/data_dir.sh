# The data directory that the box was adopted with is looked at, not the profile's.
mkdir -p "$SCRATCH/elsewhere"
drawhitch -q adopt me local --data-dir "$SCRATCH/elsewhere" >/dev/null 2>&1
drawhitch -q doctor me --json | python3 -c 'import json, sys
for row in json.load(sys.stdin)["data"]["findings"]:
    if row["rule"] == "data": print(row["evidence"].split(",")[0].split(" ")[0])' | sed "s,$SCRATCH,SCRATCH,"
