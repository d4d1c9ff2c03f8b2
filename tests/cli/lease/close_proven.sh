# When everything is home and proven, y/N is enough.
. "$CLI_TESTS/road.sh.inc"
adopt_here
run_job r1 model.bin sh -c 'echo weights > model.bin'
drawhitch pull b1 r1 >/dev/null 2>&1
drawhitch lease close b1 -n --json | field 'j["data"]'
"$CLI_TESTS/with_terminal.py" --type 'y\n' --after '[y/N] ' drawhitch lease close b1
drawhitch lease show b1 --json | field '[event["kind"] for event in j["data"]["events"]]'
