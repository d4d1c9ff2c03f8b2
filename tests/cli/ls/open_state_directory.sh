# A state directory that others can read is refused, with the command that mends it.
mkdir -p "$XDG_STATE_HOME/drawhitch"
chmod 777 "$XDG_STATE_HOME/drawhitch"
drawhitch ls
