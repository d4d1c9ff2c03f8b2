drawhitch exec b1 -- true
