drawhitch version --jsom
