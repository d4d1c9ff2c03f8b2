drawhitch --json versoin 2>/dev/null
