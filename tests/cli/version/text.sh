drawhitch version
drawhitch --version
drawhitch version extra
