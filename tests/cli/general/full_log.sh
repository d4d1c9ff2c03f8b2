# A log file that cannot be written is told once, and changes nothing else.
. "$CLI_TESTS/road.sh.inc"
code=0
drawhitch --log-file /dev/full lease ls >/dev/null || code=$?
echo "exit $code"
drawhitch --log-file /dev/full lease ls --json 2>/dev/null | field 'j["ok"], j["warnings"]'
drawhitch --log-file fine.log lease ls 2>&1
