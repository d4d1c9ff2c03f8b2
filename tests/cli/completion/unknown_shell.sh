drawhitch completion csh
