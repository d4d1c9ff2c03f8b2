# no_input of config.toml stands in for the flag; a variable stands above it.
mkdir -p "$XDG_CONFIG_HOME/drawhitch"
echo 'no_input = true' > "$XDG_CONFIG_HOME/drawhitch/config.toml"
printf '[pull]\nverify_cmd = ["python", "check.py"]\n' > drawhitch.toml
ask() { "$CLI_TESTS/with_terminal.py" --type 'n\n' --after '[y/N] ' env "$@" drawhitch trust || echo "exit $?"; }
ask A=1
ask DRAWHITCH_NO_INPUT=0
