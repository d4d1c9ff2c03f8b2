. "$CLI_TESTS/skip.sh.inc"
skip_unless_root "nobody else can give a file away"
printf '[pull]\nverify_cmd = ["true"]\n' > drawhitch.toml
chown 12345:12345 drawhitch.toml
drawhitch trust --show
