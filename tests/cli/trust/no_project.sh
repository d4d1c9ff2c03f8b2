cd /usr
drawhitch trust
