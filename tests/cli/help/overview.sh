drawhitch help
