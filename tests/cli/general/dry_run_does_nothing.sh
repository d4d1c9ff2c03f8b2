# Under -n no verb does what it is for.
. "$CLI_TESTS/road.sh.inc"
adopt_here
drawhitch -n exec b1 -- touch "$PWD/made"
drawhitch -n exec b1 -- "touch $PWD/made"
drawhitch -n ssh b1 -- touch "$PWD/made" 'two words'
drawhitch -n demo
drawhitch -n adopt b2 local >/dev/null 2>&1
drawhitch -n push b1 >/dev/null 2>&1
drawhitch -n config set color never
ls made drawhitch-demo "$HOME"/drawhitch 2>/dev/null || echo nothing was made
drawhitch ls --json | grep -c "\"b2\"" || true
