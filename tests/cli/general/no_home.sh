env -u HOME -u XDG_CONFIG_HOME -u XDG_STATE_HOME drawhitch version | sed 's/ (.*//'
