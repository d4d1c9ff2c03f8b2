drawhitch ls --config none.toml
