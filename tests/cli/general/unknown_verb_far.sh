drawhitch $'evil\x1b[31m'
