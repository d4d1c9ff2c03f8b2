# A family of commands that is a topic, too, explains both.
drawhitch help config | grep -e '^usage' -e '^Settings come from'
