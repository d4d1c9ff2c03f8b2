drawhitch help exit-codes --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["data"]["text"].splitlines()[0])'
