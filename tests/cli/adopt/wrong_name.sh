drawhitch adopt ../b1 local
