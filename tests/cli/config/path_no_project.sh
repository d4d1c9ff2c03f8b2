cd /
drawhitch config path project
