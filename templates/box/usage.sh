# shellcheck shell=sh
# Where some paths really lie, and what is mounted, framed by the nonce N. Values come before it: N. Calls come after
# it: for each path `place NUMBER PATH` ("~" at the start is the home), then once: usage_end
# It changes nothing.
LC_ALL=C
export LC_ALL
unset LD_PRELOAD CDPATH
begin() { printf '\n=%s=B %s\n' "$N" "$1"; }
end() { printf '\n=%s=E %s rc=%s\n' "$N" "$1" "$2"; }

begin mounts
head -c 4194304 /proc/self/mountinfo 2>/dev/null
end mounts $?

# Links are followed here, in the path that was named, and nowhere below it.
real() {
    if [ -d "$1" ] && (cd -P "$1") 2>/dev/null; then
        (cd -P "$1" && printf '%s' "$PWD")
    elif [ -e "$1" ] || [ -L "$1" ]; then
        D=${1%/*}
        (cd -P "${D:-/}" 2>/dev/null && printf '%s/%s' "${PWD%/}" "${1##*/}")
    else
        return 2
    fi
}
place() {
    P=$2
    case $P in
        '~') P=$HOME ;;
        '~/'*) P=$HOME/${P#'~/'} ;;
    esac
    begin "place:$1"
    real "$P"
    end "place:$1" $?
}

usage_end() { printf '\n=%s=Z\n' "$N"; }
