# shellcheck shell=sh
# A piece of a run's log, framed by the nonce N. Values come before it: N D FROM CAP. FROM is an offset, or "tail" for
# the last CAP bytes. A log shorter than FROM was begun anew and is read from its start.
begin() { printf '\n=%s=B %s\n' "$N" "$1"; }
end() { printf '\n=%s=E %s rc=%s\n' "$N" "$1" "$2"; }
begin state
if [ -d "$D" ]; then echo dir=present; fi
# Asked before the size, so that nothing written before the end is missed.
[ -e "$D/exit.json" ] && echo ended=yes
size=$(stat -c %s "$D/log" 2>/dev/null)
echo "size=$size"
from=$FROM
if [ "$from" = tail ]; then
    from=0
    [ "${size:-0}" -le "$CAP" ] || from=$((size - CAP))
elif [ "${size:-0}" -lt "$from" ]; then
    from=0
fi
block=$((from / 4096))
echo "from=$((block * 4096))"
end state 0
if [ -n "$size" ]; then
    begin bytes
    dd if="$D/log" bs=4096 skip="$block" count=$((CAP / 4096 + 1)) 2>/dev/null
    end bytes $?
fi
printf '\n=%s=Z\n' "$N"
