"$CLI_TESTS/with_terminal.py" drawhitch ls
