drawhitch lease clsoe
