drawhitch profile show local --json | python3 -c '
import json, sys
data = json.load(sys.stdin)["data"]
print(data["id"], [tier["name"] for tier in data["storage"]], [verb["verb"] for verb in data["verbs"]], data["clocks"])'
"$CLI_TESTS/with_terminal.py" --columns 200 drawhitch profile show generic-ssh | grep -E -A 2 '^STORAGE'
drawhitch profile show generic-ssh | grep GEN1
# What acts elsewhere, or not yet, is shown at least.
drawhitch profile show generic-ssh --toml | sed -e 's/"generic-ssh"/"odd"/' -e 's/^\[meter\]/&\nforgotten_warn_h = 12/' >odd.toml
printf '[match]\nhosts = ["*.example.org"]\nenv = ["ODD_ID"]\n' >>odd.toml
mkdir -p "$XDG_CONFIG_HOME/drawhitch/profiles" && cp odd.toml "$XDG_CONFIG_HOME/drawhitch/profiles/"
drawhitch profile show odd | grep -E '^(max_age|forgotten|scratch|match)'
