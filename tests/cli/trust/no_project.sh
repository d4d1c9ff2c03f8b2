cd /
drawhitch trust
