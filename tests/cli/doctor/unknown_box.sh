drawhitch doctor nobox
