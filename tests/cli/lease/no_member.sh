drawhitch lease
