# shellcheck shell=sh
# One poll: facts about the box and about named runs, framed by the nonce N so that noise cannot be taken for facts.
# Values come before it: N ROOT PROC CGROUP LOG_CAP. Calls come after it: for each run
#   run NAME LOG_FROM; artifact ID START EXPRESSION … ; then once: finish
# It changes nothing, reads no environment block but for the one variable that is ours, and prints no command line.
LC_ALL=C
export LC_ALL
unset LD_PRELOAD
MEMBERS_OF=
begin() { printf '\n=%s=B %s\n' "$N" "$1"; }
end() { printf '\n=%s=E %s rc=%s\n' "$N" "$1" "$2"; }
first_line() { { IFS= read -r line <"$1"; } 2>/dev/null && echo "$line"; }
after_name() { sed 's/^.*) //' "$PROC/$1/stat" 2>/dev/null; }
value_of() { sed -n "s/^.*\"$1\":\([0-9][0-9]*\).*\$/\1/p" "$2" 2>/dev/null | head -n 1; }

begin box
echo "now=$(date +%s)"
echo "boot_id=$(first_line "$PROC/sys/kernel/random/boot_id")"
echo "uptime=$(first_line "$PROC/uptime")"
echo "load=$(first_line "$PROC/loadavg")"
echo "pid1=$(after_name 1)"
echo "bytes=$(df -Pk "$ROOT" 2>/dev/null | tail -n 1)"
echo "inodes=$(df -Pi "$ROOT" 2>/dev/null | tail -n 1)"
end box 0

# Which tools the artifact scan needs; without them its answer is unknown, never "nothing there".
tools=
stat -c '%Y %s' / >/dev/null 2>&1 && command -v find >/dev/null && command -v awk >/dev/null && tools=yes

# busybox compares times by whole seconds; the start waited for a second of its own there (start.sh).
coarse=
find --help 2>&1 | grep -q BusyBox && coarse=yes

run() {
    D=$ROOT/runs/$1
    begin "run:$1"
    if [ ! -d "$D" ]; then
        [ -d "$ROOT" ] && echo 'dir=absent' || echo 'dir=no-root'
        end "run:$1" 0
        return
    fi
    echo 'dir=present'
    [ -e "$D/claim" ] && echo "claimed=$(stat -c %Y "$D/claim" 2>/dev/null)"
    [ -e "$D/start.json" ] && echo "start=$(head -c 2048 "$D/start.json" 2>/dev/null | tr -s ' \n' ' ')"
    for f in "$D"/started.*; do [ -e "$f" ] && echo "attempt=${f##*.}"; done
    # A record of the end that is there before its process is looked at, and the process lives: not the wrapper's.
    [ -e "$D/exit.json" ] && echo 'ended=before'
    p=$(value_of pid "$D/start.json")
    [ -n "$p" ] && [ -d "$PROC/$p" ] && echo "job=$(after_name "$p")"
    w=$(value_of wrapper_pid "$D/start.json")
    if [ -n "$w" ] && [ -d "$PROC/$w" ]; then
        stat_line=$(after_name "$w")
        echo "wrapper=$stat_line"
        parent=${stat_line#* }
        echo "parent=$(first_line "$PROC/${parent%% *}/comm")"
    fi
    # Read last: a job and a wrapper seen gone, and then no record, did not just end between two looks.
    [ -e "$D/exit.json" ] && echo "exit=$(head -c 2048 "$D/exit.json" 2>/dev/null | tr -s ' \n' ' ')"
    g=$(value_of pgid "$D/start.json")
    [ -n "$g" ] && MEMBERS_OF="$MEMBERS_OF $g"
    c=$(first_line "$D/oom_file")
    [ -n "$c" ] && echo "oom=$(sed -n 's/^oom_kill //p' "$c" 2>/dev/null)"
    [ -e "$D/log" ] && echo "log=$(stat -c '%s %Y' "$D/log" 2>/dev/null)"
    end "run:$1" 0
    s=$(stat -c %s "$D/log" 2>/dev/null)
    [ -n "$s" ] && [ "$LOG_CAP" -gt 0 ] && [ "$s" -gt "$2" ] || return
    from=$2
    [ $((s - from)) -le "$LOG_CAP" ] || from=$((s - LOG_CAP))
    block=$((from / 4096))
    begin "log:$1"
    echo "from=$((block * 4096))"
    dd if="$D/log" bs=4096 skip="$block" count=$((LOG_CAP / 4096 + 2)) 2>/dev/null
    end "log:$1" $?
}

# Counts the files at or below START whose path from the work tree matches EXPRESSION (extended), and those of them that
# are newer than the start of this attempt.
artifact() {
    begin "artifact:${D##*/}:$1"
    newest_marker=$D/attempt
    if [ -z "$tools" ] || [ ! -e "$newest_marker" ]; then
        echo unknown
    elif [ ! -e "$D/work/$2" ]; then
        [ -d "$D/work" ] && echo '0 0 0 0 0' || echo unknown
    else
        (
            cd "$D/work" || exit 1
            case $2 in .) start=. ;; *) start=./$2 ;; esac
            if [ -n "$coarse" ]; then
                find -H "$start" -type f -exec stat -c 'o %Y %s %n' {} + 2>/dev/null
            else
                find -H "$start" -type f -newer "$newest_marker" -exec stat -c 'n %Y %s %n' {} + \
                    -o -type f -exec stat -c 'o %Y %s %n' {} + 2>/dev/null
            fi
            echo "rc $?"
        ) | EXPRESSION=$3 SINCE=$(stat -c %Y "$newest_marker") COARSE=$coarse awk '
            $1 == "rc" && NF == 2 { failed = ($2 != 0); next }
            { kind = $1; when = $2; size = $3; path = $0; sub(/^[no] [0-9-]+ [0-9]+ /, "", path) }
            path ~ ENVIRON["EXPRESSION"] {
                count++; bytes += size
                if (when > newest) newest = when
                if (kind == "n" || (ENVIRON["COARSE"] != "" && when + 0 >= ENVIRON["SINCE"] + 0)) newer++
            }
            END { printf "%.0f %.0f %.0f %.0f %d\n", count, bytes, newest, newer, failed }'
    fi
    end "artifact:${D##*/}:$1" $?
}

finish() {
    begin tokens
    # -z: the variables of a process are separated by NUL, so one that matches brings no other one along.
    grep -zHF DRAWHITCH_RUN_TOKEN= "$PROC"/[0-9]*/environ 2>/dev/null | tr '\0' '\n' |
        sed -n 's,^.*/\([0-9]*\)/environ:DRAWHITCH_RUN_TOKEN=\([0-9a-f]*\)$,\1 \2,p' | head -n 4000
    end tokens 0
    begin processes
    cat "$PROC"/[0-9]*/stat 2>/dev/null | sed -n 's/^\([0-9]*\) (.*) \([A-Za-z] .*\)$/\1 \2/p' |
        GROUPS_WANTED="$MEMBERS_OF" awk 'BEGIN { n = split(ENVIRON["GROUPS_WANTED"], g, " "); for (i = 1; i <= n; i++) want[g[i]] = 1 }
            ($4 in want) || ($5 in want) { print $1, $2, $3, $4, $5, $13, $14, $21; if (++lines == 4000) exit }'
    end processes $?
    printf '\n=%s=Z\n' "$N"
}
