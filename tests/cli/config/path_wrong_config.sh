# A file that is wrong can still be found.
mkdir -p "$XDG_CONFIG_HOME/drawhitch"
echo 'nonsense' > "$XDG_CONFIG_HOME/drawhitch/config.toml"
drawhitch config path
drawhitch config get color || echo "exit $?"
drawhitch config set color never || echo "exit $?"
cat "$XDG_CONFIG_HOME/drawhitch/config.toml"
