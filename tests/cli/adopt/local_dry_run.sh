drawhitch -n adopt me local > /dev/null
ls
drawhitch ls
