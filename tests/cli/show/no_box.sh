drawhitch show --json 2>/dev/null
