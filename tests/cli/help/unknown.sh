drawhitch help exit-code
