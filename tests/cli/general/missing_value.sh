drawhitch version --timeout
