mkdir gone && cd gone && rmdir ../gone
drawhitch ls
