drawhitch config get colr
