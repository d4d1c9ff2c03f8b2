# Ctrl-C at the question ends it with 130, and nothing is trusted.
printf '[pull]\nverify_cmd = ["true"]\n' > drawhitch.toml
"$CLI_TESTS/with_terminal.py" --type '\x03' --after '[y/N] ' drawhitch -q trust || echo "exit $?"
drawhitch trust --show
