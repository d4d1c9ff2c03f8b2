drawhitch version --timeout soon
