# shellcheck shell=sh
# Starts a prepared run exactly once and waits, two seconds at most, until it is seen to live. Framed by the nonce N.
# Values come before it: N D NAME ATTEMPT ENV_FILE DRIVER, and four functions that print texts: environment_text
# run_text record_text gpus_text.
begin() { printf '\n=%s=B %s\n' "$N" "$1"; }
end() { printf '\n=%s=E %s rc=%s\n' "$N" "$1" "$2"; }
refuse() {
    echo "refused=$1"
    [ -z "${2-}" ] || echo "because=$2"
    end start 1
    exit 1
}
# A file appears whole or not at all.
place() { "$1" >"$2.new" && mv -f "$2.new" "$2"; }

begin start
[ -d "$D/work" ] || refuse no-work
mask=$(umask)
umask 077
place environment_text "$ENV_FILE" || refuse environment "cannot write $ENV_FILE"
place record_text "$D/run.json" && place gpus_text "$D/gpus" && place run_text "$D/run.sh" || refuse write "$D"
# What is newer than this file was made by this attempt. Where times are compared by whole seconds (busybox), nothing that
# was there before may share its second.
find --help 2>&1 | grep -q BusyBox && sleep 1
echo "$ATTEMPT" >"$D/attempt" || refuse write "$D"
umask "$mask"

if [ ! -d "$D/started.$ATTEMPT" ]; then
    case $DRIVER in
        # One server serves every project of this user, so a run's name alone may be taken there.
        tmux)
            session="$NAME-$(printf %s "$D" | cksum | cut -d ' ' -f 1)-$ATTEMPT"
            said=$(tmux -L drawhitch -f /dev/null new-session -d -s "$session" /bin/sh "$D/run.sh" </dev/null 2>&1) ||
                refuse tmux "$said"
            ;;
        setsid) setsid /bin/sh "$D/run.sh" </dev/null >/dev/null 2>&1 & ;;
        *) nohup /bin/sh "$D/run.sh" </dev/null >/dev/null 2>&1 & ;;
    esac
fi

i=0
while [ $i -lt 40 ]; do
    [ -e "$D/exit.json" ] && break
    grep -q "\"attempt\":$ATTEMPT," "$D/start.json" 2>/dev/null && break
    sleep 0.05 2>/dev/null || { sleep 1 && i=$((i + 19)); }
    i=$((i + 1))
done
for f in start exit; do
    [ -e "$D/$f.json" ] && echo "$f=$(head -c 2048 "$D/$f.json" 2>/dev/null | tr -s ' \n' ' ')"
done
end start 0
printf '\n=%s=Z\n' "$N"
