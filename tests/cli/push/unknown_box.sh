mkdir proj && cd proj
drawhitch push nowhere
