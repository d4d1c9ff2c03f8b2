[ "$(id -u)" = 0 ] || { echo "only root can give a file away" >&2; exit 77; }
printf '[pull]\nverify_cmd = ["true"]\n' > drawhitch.toml
chown 12345:12345 drawhitch.toml
drawhitch trust --show
