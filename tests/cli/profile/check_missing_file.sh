drawhitch profile check ./none.toml
