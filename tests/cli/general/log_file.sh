# The log holds the command's name and how it ended, never its words.
drawhitch version --log-file log >/dev/null
sed 's/^[^ ]* [0-9]* //' log
stat -c %a log
