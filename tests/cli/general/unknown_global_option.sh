drawhitch --jsom version
