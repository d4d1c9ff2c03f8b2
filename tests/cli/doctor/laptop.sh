drawhitch doctor --json | grep -o "\"area\":\"[a-z]*\"" | sort -u
drawhitch doctor | cut -f1-3 | grep -v "^laptop	ssh"
