drawhitch help exit-codes
