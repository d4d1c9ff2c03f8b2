# A state directory of somebody else is not used: its owner could change what is recorded as proven.
. "$CLI_TESTS/skip.sh.inc"
skip_unless_root "nobody else can give a directory away"
mkdir -m 700 "$XDG_STATE_HOME/drawhitch"
chown 65534 "$XDG_STATE_HOME/drawhitch"
drawhitch ls
