drawhitch version >&-
