cd /usr
drawhitch config path project
