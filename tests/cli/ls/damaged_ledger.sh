mkdir -m 700 "$XDG_STATE_HOME/drawhitch"
(umask 077 && echo 'no database at all, but text of some length' > "$XDG_STATE_HOME/drawhitch/ledger.db")
drawhitch ls
