env -u HOME -u XDG_STATE_HOME -u XDG_CONFIG_HOME drawhitch ls
