. "$CLI_TESTS/privileges.sh.inc"
mkdir -p "$XDG_CONFIG_HOME/drawhitch"
chmod 500 "$XDG_CONFIG_HOME/drawhitch"
as_user drawhitch config set color never
