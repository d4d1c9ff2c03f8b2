drawhitch profile show local --json | python3 -c '
import json, sys
data = json.load(sys.stdin)["data"]
print(data["id"], [tier["name"] for tier in data["storage"]], [verb["verb"] for verb in data["verbs"]], data["clocks"])'
"$CLI_TESTS/with_terminal.py" --columns 200 drawhitch profile show generic-ssh | grep -E -A 2 '^STORAGE'
drawhitch profile show generic-ssh | grep GEN1
