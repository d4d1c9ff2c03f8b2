drawhitch ls
drawhitch status --json
