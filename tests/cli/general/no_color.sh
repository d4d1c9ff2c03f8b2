# On a terminal errors are coloured, unless NO_COLOR, TERM=dumb or --color say otherwise.
on_terminal() { env "$@" "$CLI_TESTS/with_terminal.py" drawhitch nonsense || true; }
on_terminal TERM=xterm | grep -c $'\x1b' || true
on_terminal TERM=xterm NO_COLOR=1 | grep -c $'\x1b' || true
on_terminal TERM=dumb | grep -c $'\x1b' || true
CLICOLOR_FORCE=1 drawhitch nonsense 2>&1 | grep -c $'\x1b' || true
