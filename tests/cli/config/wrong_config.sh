# Every problem at once, with its place; what needs no configuration still works.
mkdir -p "$XDG_CONFIG_HOME/drawhitch"
printf 'colr = "never"\nplain = 3\n' > "$XDG_CONFIG_HOME/drawhitch/config.toml"
drawhitch version >/dev/null
drawhitch ls
