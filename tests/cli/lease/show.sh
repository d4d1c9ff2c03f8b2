# People read words; a script gets each event's detail as the object it is.
. "$CLI_TESTS/road.sh.inc"
adopt_here
run_job r1 model.bin sh -c 'echo weights > model.bin'
drawhitch pull b1 r1 >/dev/null 2>&1
drawhitch lease close b1 --yes --reason sold >/dev/null 2>&1
"$CLI_TESTS/with_terminal.py" drawhitch lease show b1 | tr -d '\r' | grep -c '[{"]' || true
"$CLI_TESTS/with_terminal.py" drawhitch lease show b1 | tr -d '\r' | sed -n 's/.* \(receipt\|lease.closed\)  */\1 /p'
drawhitch lease show b1 --json | field '[e["detail"] for e in j["data"]["events"] if e["kind"] in ("receipt", "lease.added", "lease.closed")]'
