echo 'project = "nano"' > drawhitch.toml
drawhitch trust
