drawhitch versoin
