drawhitch adopt me local > /dev/null 2>&1
drawhitch ssh me --json
