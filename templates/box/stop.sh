# Signals one run's recorded process group, and nobody else. Framed by the nonce N.
# Values come before it: N PROC PID TICKS BOOT GROUP TOKEN SIGNAL.
begin() { printf '\n=%s=B %s\n' "$N" "$1"; }
end() { printf '\n=%s=E %s rc=%s\n' "$N" "$1" "$2"; }
answer() {
    echo "stop=$1"
    end stop 0
    printf '\n=%s=Z\n' "$N"
    exit 0
}
{ IFS= read -r boot <"$PROC/sys/kernel/random/boot_id"; } 2>/dev/null
begin stop
[ "$boot" = "$BOOT" ] || answer rebooted
ticks=$(sed 's/^.*) //' "$PROC/$PID/stat" 2>/dev/null | cut -d' ' -f20)
if [ -n "$ticks" ]; then
    # Another process has the number now: the group ended, or the number could not have been given again.
    [ "$ticks" = "$TICKS" ] || answer gone
else
    # The leader is gone. The group is still ours when one of its members carries the run's token.
    ours=
    for p in $(cat "$PROC"/[0-9]*/stat 2>/dev/null | sed -n 's/^\([0-9]*\) (.*) [A-Za-z] [0-9]* \([0-9]*\) .*$/\1 \2/p' |
        awk -v group="$GROUP" '$2 == group { print $1 }'); do
        tr '\0' '\n' <"$PROC/$p/environ" 2>/dev/null | grep -qx "DRAWHITCH_RUN_TOKEN=$TOKEN" && ours=yes
    done
    [ -n "$ours" ] || answer gone
fi
kill "-$SIGNAL" "-$GROUP" 2>/dev/null && answer sent
answer failed
