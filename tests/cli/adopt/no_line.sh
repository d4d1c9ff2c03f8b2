drawhitch adopt b1
