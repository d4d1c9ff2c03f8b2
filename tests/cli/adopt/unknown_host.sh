drawhitch adopt b1 ssh root@no-such-box.invalid
