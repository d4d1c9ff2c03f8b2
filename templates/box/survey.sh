# shellcheck shell=sh
# Lists the processes of our user that started since SINCE (seconds of the box's clock) or carry the token of a run, for
# the gate of `down`. Framed by
# the nonce N. Values come before it: N PROC SINCE. It changes nothing and prints no command line: arguments may hold
# secrets, so only the file name that an interpreter runs is told.
LC_ALL=C
export LC_ALL
unset LD_PRELOAD
begin() { printf '\n=%s=B %s\n' "$N" "$1"; }
end() { printf '\n=%s=E %s rc=%s\n' "$N" "$1" "$2"; }
one_line() { tr -s '\000-\037\177' '?' | head -c 4096; }
# plain WORD: into $text. A program is started only for what needs one: hundreds of processes cost seconds otherwise.
plain() {
    text=$1
    if [ ${#text} -gt 4096 ]; then text=$(printf %s "$text" | one_line); fi
    case $text in *[[:cntrl:]]*) text=$(printf %s "$text" | one_line) ;; esac
}

begin box
echo "now=$(date +%s)"
plain "${HOME-}"
printf 'home=%s\n' "$text"
booted=$(sed -n 's/^btime //p' "$PROC/stat" 2>/dev/null)
hertz=$(getconf CLK_TCK 2>/dev/null || echo 100)
echo "booted=$booted"
echo "hertz=$hertz"
end box 0

# The first argument that is no option: the script. "-c" tells that the program text is an argument itself.
script() {
    tr '\000\n' '\n?' <"$PROC/$1/cmdline" 2>/dev/null | {
        IFS= read -r word || return
        words=1
        while [ $words -lt 12 ] && IFS= read -r word; do
            words=$((words + 1))
            case $word in
                -c) echo script=-c && return ;;
                -*) ;;
                *)
                    plain "${word##*/}"
                    printf 'script=%s\n' "$text"
                    return
                    ;;
            esac
        done
    }
}

# Those whose environment names one of our runs, and those that write to files through memory: one program each for all.
in_runs=''
with_maps=''
k_shared_map='^[^ ]* .w.s [^ ]* [^ ]* [^ ]* *\(/.*\)$'
find_some() {
    in_runs=" $(grep -lzF DRAWHITCH_RUN_TOKEN= "$PROC"/[0-9]*/environ 2>/dev/null | tr '\n' ' ')"
    with_maps=" $(grep -l "$k_shared_map" "$PROC"/[0-9]*/maps 2>/dev/null | tr '\n' ' ')"
}

# What it has open for writing; "(deleted)" behind a name is the kernel's. A newline in a name cuts the name.
writes() {
    # shellcheck disable=SC2012
    ls -l "$PROC/$1/fd" 2>/dev/null |
        sed -n -e '/^l.w/!d' -e 's,^l.w[^>]* -> ,,' -e '/^\/dev\/shm\//!s,^/dev/.*,,' -e '/^$/d' -e '/^\/proc\//d' -e '/^\/memfd:/d' \
            -e 's,^/,writes=/,p'
    case $with_maps in *" $PROC/$1/maps "*) sed -n "s,$k_shared_map,writes=\\1,p" "$PROC/$1/maps" 2>/dev/null ;; esac
}

describe() {
    name=''
    # shellcheck disable=SC2094
    { IFS= read -r name && IFS= read -r line && name="$name?$line"; } 2>/dev/null <"$PROC/$1/comm"
    plain "$name"
    printf 'name=%s\n' "$text"
    script "$1"
    case $in_runs in
        *" $PROC/$1/environ "*)
            tr '\000\n' '\n?' <"$PROC/$1/environ" 2>/dev/null |
                sed -n '/^DRAWHITCH_RUN_TOKEN=[0-9a-f]*$/{s,.*=,token=,p;q;}'
            ;;
    esac
    # A name is easily borrowed; which file runs is the kernel's word.
    case $name in
        helper-*)
            plain "$(readlink "$PROC/$1/exe" 2>/dev/null)"
            printf 'exe=%s\n' "$text"
            ;;
    esac
    plain "$(readlink "$PROC/$1/cwd" 2>/dev/null)"
    printf 'cwd=%s\n' "$text"
    writes "$1"
}

# The fields behind the name. A name may hold a newline; then the rest stands on later lines, and is read the slow way.
stat_of() {
    { IFS= read -r line <"$1/stat"; } 2>/dev/null || return 1
    case $line in *') '?' '*) ;; *) line=$(tr '\n' '?' <"$1/stat" 2>/dev/null) ;; esac
    line=${line##*) }
}

# One that is on its way out (the kernel's PF_EXITING) has no directory any more and works no more, unless threads of it do.
is_leaving() { [ $((${7:-0} & 4)) -ne 0 ] && [ "${18:-1}" -le 1 ]; }

processes() {
    case $booted$hertz$SINCE in '' | *[!0-9]*) return 1 ;; esac
    oldest=$(((SINCE - booted) * hertz))
    count=0
    find_some
    for folder in "$PROC"/[0-9]*; do
        [ -O "$folder" ] || continue
        pid=${folder##*/}
        stat_of "$folder" || continue
        # shellcheck disable=SC2086
        set -- $line
        # A run lives however old it is: there are others than those of the lease that asks.
        case $in_runs in
            *" $folder/environ "*) ;;
            *) [ "${20-0}" -ge "$oldest" ] 2>/dev/null || continue ;;
        esac
        state=$1
        # The first thread has ended, others work.
        [ "$state" = Z ] && [ "${18:-1}" -gt 1 ] && state=S
        ours=0
        { [ "$pid" = "$$" ] || [ "$2" = "$$" ]; } && ours=1
        about=$(describe "$pid")
        # One that ended meanwhile told half of itself.
        stat_of "$folder" || continue
        # shellcheck disable=SC2086
        is_leaving $line && [ "$state" != Z ] && continue
        echo "process=$pid $2 $state ${20} $ours"
        printf '%s\n' "$about"
        count=$((count + 1))
        [ "$count" -lt 2000 ] || return 1
    done
}
begin processes
processes
end processes $?
printf '\n=%s=Z\n' "$N"
