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
[ -d "$D/work" ] || [ -d "$D/started.$ATTEMPT" ] || refuse no-work
mask=$(umask)
umask 077
# What an earlier start began keeps the texts it began with.
if [ ! -d "$D/started.$ATTEMPT" ]; then
    place environment_text "$ENV_FILE" || refuse environment "cannot write $ENV_FILE"
    place record_text "$D/run.json" && place gpus_text "$D/gpus" && place run_text "$D/run.sh" || refuse write "$D"
elif [ "$(run_text)" != "$(cat "$D/run.sh")" ]; then
    refuse other
fi
# What is newer than this file was made by this attempt. Where times are compared by whole seconds (busybox), nothing that
# was there before may share its second.
if [ ! -d "$D/started.$ATTEMPT" ]; then
    find --help 2>&1 | grep -q BusyBox && sleep 1
    echo "$ATTEMPT" >"$D/attempt" || refuse write "$D"
fi
umask "$mask"

# The supervisor's shell: dash where there is one, as bash can only look once a second.
shell=/bin/sh
command -v dash >/dev/null 2>&1 && shell=$(command -v dash)
if [ ! -d "$D/started.$ATTEMPT" ]; then
    # One server serves every project of this user, so a run's name alone may be taken there. A server that is just
    # going away refuses; after three tries the floor of every box takes over.
    tries=0
    session="$NAME-$(printf %s "$D" | cksum | cut -d ' ' -f 1)-$ATTEMPT"
    while [ "$DRIVER" = tmux ]; do
        tmux -L drawhitch -f /dev/null new-session -d -s "$session" "$shell" "$D/run.sh" </dev/null >/dev/null 2>&1 && break
        tries=$((tries + 1))
        [ $tries -lt 3 ] && sleep 0.2 2>/dev/null && continue
        DRIVER=nohup
        command -v setsid >/dev/null 2>&1 && DRIVER=setsid
    done
    case $DRIVER in
        tmux) ;;
        setsid) setsid "$shell" "$D/run.sh" </dev/null >/dev/null 2>&1 & ;;
        *) nohup "$shell" "$D/run.sh" </dev/null >/dev/null 2>&1 & ;;
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
