# shellcheck shell=sh
# The watcher of one command: $1 is the command's process, $2 what is signalled: that process, or its group with a minus.
# Stdin ends when the connection does. A watcher is one of the group and ends with it: whoever waits for longer than
# there is something to wait for looks like work that nobody owns.
trap '' HUP INT TERM
cat
kill -0 "$1" || exit
kill -s TERM -- "$2"
# Whether others of the group work still; of a single process only it is asked about.
dh_works() {
    if [ "$1" = "$2" ]; then
        kill -0 "$1"
        return
    fi
    for dh_stat in /proc/[0-9]*/stat; do
        dh_line=
        { IFS= read -r dh_line <"$dh_stat"; } 2>/dev/null
        dh_pid=${dh_line%% *}
        dh_line=${dh_line##*) }
        dh_state=${dh_line%% *}
        dh_line=${dh_line#* * }
        case "$dh_state -${dh_line%% *} $dh_pid" in
            [ZX]* | *" $$") ;;
            *" $2 "*) return 0 ;;
        esac
    done
    return 1
}
dh_left=100
while [ "$dh_left" -gt 0 ] && dh_works "$1" "$2"; do
    sleep 0.05 || { sleep 1 && dh_left=$((dh_left - 19)); }
    dh_left=$((dh_left - 1))
done
# A group is never empty while its watcher lives, so the number is still its own.
if [ "$1" != "$2" ]; then
    kill -s KILL -- "$2"
elif dh_works "$1" "$2"; then
    kill -s KILL "$1"
fi
