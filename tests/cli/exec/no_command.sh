drawhitch exec b1
