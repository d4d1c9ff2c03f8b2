drawhitch nonsense 2>&-
