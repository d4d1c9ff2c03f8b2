drawhitch profile show lambada
