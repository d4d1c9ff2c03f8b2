drawhitch version --json | python3 -c '
import json, sys
seen = json.load(sys.stdin)
print(sorted(seen), seen["schema"], seen["command"], seen["ok"], seen["exit"])
print(sorted(seen["data"]), "sqlite" in seen["data"]["libraries"])'
