# What cannot stand in the file is refused before anything is written.
drawhitch config set colour never || echo "exit $?"
drawhitch config set color blue || echo "exit $?"
drawhitch config set connection.poll_s soon || echo "exit $?"
drawhitch config set color || echo "exit $?"
drawhitch config set color never -n
ls -A "$XDG_CONFIG_HOME"
