# Without its name first the line itself would become the box's name.
drawhitch adopt ssh -p 40022 root@203.0.113.7 2>&1 || echo "exit $?"
drawhitch ls --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["data"]["leases"])'
