drawhitch --profile no-such adopt b1 local
