mkdir gone && cd gone && rmdir ../gone
drawhitch version | sed 's/ (.*//'
