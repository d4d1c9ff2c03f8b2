# Bars in their last state, no escape sequences, the last lines only.
. "$CLI_TESTS/road.sh.inc"
adopt_here
run_job r1 '*' sh -c 'touch x; printf "one\n\033[31mtwo\033[0m\n 1%%\r 99%%\rdone\n"'
drawhitch logs b1 r1 --lines 2
drawhitch logs b1 --json | field 'j["data"]["run"], [l["line"] for l in j["data"]["lines"]], j["data"]["ended"]'
