drawhitch version >/dev/full
