# shellcheck shell=sh
# Lists the processes of our user that started since SINCE (seconds of the box's clock), for the gate of `down`. Framed by
# the nonce N. Values come before it: N PROC SINCE. It changes nothing and prints no command line: arguments may hold
# secrets, so only the file name that an interpreter runs is told.
LC_ALL=C
export LC_ALL
unset LD_PRELOAD
begin() { printf '\n=%s=B %s\n' "$N" "$1"; }
end() { printf '\n=%s=E %s rc=%s\n' "$N" "$1" "$2"; }
one_line() { tr -s '\000-\037\177' '?' | head -c 4096; }

begin box
echo "now=$(date +%s)"
echo "home=$(printf %s "${HOME-}" | one_line)"
booted=$(sed -n 's/^btime //p' "$PROC/stat" 2>/dev/null)
hertz=$(getconf CLK_TCK 2>/dev/null || echo 100)
echo "booted=$booted"
echo "hertz=$hertz"
end box 0

# The first argument that is no option: the script. "-c" tells that the program text is an argument itself.
script() {
    tr '\000\n' '\n?' <"$PROC/$1/cmdline" 2>/dev/null | head -n 12 | {
        IFS= read -r word || return
        while IFS= read -r word; do
            case $word in
                -c) echo script=-c && return ;;
                -*) ;;
                *)
                    printf 'script=%s\n' "$(printf %s "${word##*/}" | one_line)"
                    return
                    ;;
            esac
        done
    }
}

describe() {
    echo "name=$(one_line <"$PROC/$1/comm" 2>/dev/null)"
    script "$1"
    grep -zF DRAWHITCH_RUN_TOKEN= "$PROC/$1/environ" 2>/dev/null | tr '\000' '\n' |
        sed -n 's,^DRAWHITCH_RUN_TOKEN=\([0-9a-f]*\)$,token=\1,p' | head -n 1
    directory=$(readlink "$PROC/$1/cwd" 2>/dev/null | one_line)
    echo "cwd=${directory%\?}"
}

# The fields behind the name. A name may hold a newline; then the rest stands on later lines, and is read the slow way.
stat_of() {
    { IFS= read -r line <"$1/stat"; } 2>/dev/null || return 1
    case $line in *') '?' '*) ;; *) line=$(tr '\n' '?' <"$1/stat" 2>/dev/null) ;; esac
    line=${line##*) }
}

processes() {
    case $booted$hertz$SINCE in '' | *[!0-9]*) return 1 ;; esac
    oldest=$(((SINCE - booted) * hertz))
    count=0
    for folder in "$PROC"/[0-9]*; do
        [ -O "$folder" ] || continue
        pid=${folder##*/}
        stat_of "$folder" || continue
        # shellcheck disable=SC2086
        set -- $line
        [ "${20-0}" -ge "$oldest" ] 2>/dev/null || continue
        ours=0
        { [ "$pid" = "$$" ] || [ "$2" = "$$" ]; } && ours=1
        about=$(describe "$pid")
        # One that ended meanwhile told half of itself.
        stat_of "$folder" || continue
        echo "process=$pid $2 ${line%% *} ${20} $ours"
        printf '%s\n' "$about"
        count=$((count + 1))
        [ "$count" -lt 2000 ] || return 1
    done
}
begin processes
processes
end processes $?
printf '\n=%s=Z\n' "$N"
