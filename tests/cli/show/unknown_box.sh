drawhitch show b1
