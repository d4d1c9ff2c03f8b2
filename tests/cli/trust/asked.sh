printf '[pull]\nverify_cmd = ["sh", "evil\\u001b[2J"]\n' > drawhitch.toml
"$CLI_TESTS/with_terminal.py" --type 'n\n' --after '[y/N] ' drawhitch trust || echo "exit $?"
"$CLI_TESTS/with_terminal.py" --type 'yes\n' --after '[y/N] ' drawhitch trust
