drawhitch lease --help
