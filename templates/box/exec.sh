# shellcheck shell=sh disable=SC2154  # dh_body, dh_watch and dh_name are set before
# One command of the user's: $1 is the directory, $2 the number of bytes of its input, the rest its words. The rest of
# stdin is the input, and then the sign of life: it ends when the connection does, and the command's process group with
# it. This very process becomes the command, so that its end is told as it was.
dh_line=
{ IFS= read -r dh_line </proc/$$/stat; } 2>/dev/null
dh_line=${dh_line##*) }
dh_line=${dh_line#* * }
dh_group=${dh_line%% *}
# A login shell in between may have kept us in a group with others.
if [ -n "$dh_group" ] && [ "$dh_group" != $$ ] && command -v setsid >/dev/null 2>&1; then
    exec setsid /bin/sh -c "$dh_body" sh "$@"
fi
dh_target=$$
[ "$dh_group" != $$ ] || dh_target=-$$
dh_size=$2
# A child process of this machine begins elsewhere than a login does.
cd 2>/dev/null || :
[ -z "$1" ] || cd -- "$1" || exit 1
shift 2
exec 3<&0 </dev/null
# All of the input has to be here before the command sees any of it: a part of it must not pass for the whole.
if [ "$dh_size" -gt 0 ]; then
    dh_first=
    [ "$dh_size" -gt 1048576 ] || dh_first=/dev/shm
    dh_file=
    for dh_place in "$dh_first" "${TMPDIR:-/tmp}" /tmp "$HOME"; do
        [ -n "$dh_place" ] || continue
        dh_file=$(mktemp "$dh_place/drawhitch.XXXXXX" 2>/dev/null) && break
        dh_file=
    done
    if [ -z "$dh_file" ]; then
        echo "drawhitch: no directory on the box takes the input" >&2
        exit 1
    fi
    head -c "$dh_size" <&3 >"$dh_file"
    if [ "$(wc -c <"$dh_file")" -ne "$dh_size" ]; then
        rm -f "$dh_file"
        echo "drawhitch: the input did not arrive whole" >&2
        exit 1
    fi
    exec <"$dh_file"
    rm -f "$dh_file"
fi
# The watcher is nobody's child here: a command that waits for all of its children must not wait for it. It is known by
# its name.
(
    /bin/sh -c "$dh_watch" "$dh_name" $$ "$dh_target" <&3 3<&- >/dev/null 2>&1 &
)
unset dh_line dh_group dh_target dh_size dh_first dh_file dh_place dh_body dh_watch dh_name
exec "$@" 3<&-
