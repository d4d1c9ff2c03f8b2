# shellcheck shell=sh
# Ends one run and nobody else. Framed by the nonce N. Values come before it: N PROC D ATTEMPT PID TICKS BOOT GROUP TOKEN
# SIGNAL. One call comes after it: signal_group, signal_strays PID …, or abandon.
begin() { printf '\n=%s=B %s\n' "$N" "$1"; }
end() { printf '\n=%s=E %s rc=%s\n' "$N" "$1" "$2"; }
answer() {
    echo "stop=$1"
    end stop 0
    printf '\n=%s=Z\n' "$N"
    exit 0
}

same_boot() {
    { IFS= read -r boot <"$PROC/sys/kernel/random/boot_id"; } 2>/dev/null
    [ "$boot" = "$BOOT" ] || answer rebooted
}
carries_token() { tr '\0' '\n' <"$PROC/$1/environ" 2>/dev/null | grep -qx "DRAWHITCH_RUN_TOKEN=$TOKEN"; }

# The recorded process group, as long as it is the recorded one.
signal_group() {
    begin stop
    same_boot
    ticks=$(sed 's/^.*) //' "$PROC/$PID/stat" 2>/dev/null | cut -d' ' -f20)
    if [ -n "$ticks" ]; then
        # Another process has the number now: the group ended, or the number could not have been given again.
        [ "$ticks" = "$TICKS" ] || answer gone
    else
        # The leader is gone. The group is still ours when one of its members carries the run's token.
        ours=
        for p in $(cat "$PROC"/[0-9]*/stat 2>/dev/null | sed -n 's/^\([0-9]*\) (.*) [A-Za-z] [0-9]* \([0-9]*\) .*$/\1 \2/p' |
            awk -v group="$GROUP" '$2 == group { print $1 }'); do
            carries_token "$p" && ours=yes
        done
        [ -n "$ours" ] || answer gone
    fi
    kill "-$SIGNAL" "-$GROUP" 2>/dev/null && answer sent
    answer failed
}

# Processes of the run that left its group: each must carry the run's token at this very moment.
signal_strays() {
    begin stop
    same_boot
    for p; do carries_token "$p" && kill "-$SIGNAL" "$p" 2>/dev/null && echo "signalled=$p"; done
    answer sent
}

# A claim that never started: takes the start away, so that nothing can start later, and records the end.
abandon() {
    begin stop
    # A name that was claimed here and never reached the box is claimed now; another laptop's run is let alone.
    if [ -n "$TOKEN" ]; then
        [ -d "${D%/*}" ] || mkdir -m 700 "${D%/*}" 2>/dev/null
        mkdir -m 700 "$D" 2>/dev/null && echo "$TOKEN" >"$D/claim"
        [ "$(cat "$D/claim" 2>/dev/null)" = "$TOKEN" ] || answer foreign
    fi
    mkdir "$D/started.$ATTEMPT" 2>/dev/null || answer started
    printf '{"schema":1,"attempt":%s,"token":"%s","pid":null,"code":125,"signal":null,"sure":true,"stage":"stopped",' \
        "$ATTEMPT" "$TOKEN" >"$D/exit.json.new"
    printf '"started":%s,"ended":%s,"boot_id":"","oom_before":null,"oom_after":null,"caught":[]}\n' \
        "$(date +%s)" "$(date +%s)" >>"$D/exit.json.new"
    mv -f "$D/exit.json.new" "$D/exit.json" || answer failed
    answer abandoned
}
