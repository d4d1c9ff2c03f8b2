. "$CLI_TESTS/road.sh.inc"
adopt_here --price-hour 2.5
drawhitch ls | cut -f 1-4
drawhitch ls --json | field '[sorted(j["data"]["leases"][0]), j["data"]["leases"][0]["price_hour"], j["data"]["leases"][0]["began_age"] >= 0]'
"$CLI_TESTS/with_terminal.py" --columns 200 drawhitch ls | sed 's/  *[0-9][0-9]* s ago.*//'
