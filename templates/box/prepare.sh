# shellcheck shell=sh
# Claims a run's name, makes its work tree and tells what the launch must know, framed by the nonce N.
# Values come before it: N ROOT NAME TOKEN RELEASE PROC CGROUP DEV. Calls come after it, in this order:
#   check MARK [known]; guard WANTED LIST; claim; persist NAME …; link NAME TARGET …; settle; volatile DIRECTORY …; facts
# RELEASE may be @current (whatever `current` names) or empty (an empty work tree).
LC_ALL=C
export LC_ALL
D=$ROOT/runs/$NAME
begin() { printf '\n=%s=B %s\n' "$N" "$1"; }
end() { printf '\n=%s=E %s rc=%s\n' "$N" "$1" "$2"; }
# Leaves with one word for the laptop and one line for people.
refuse() {
    echo "refused=$1"
    [ -z "${2-}" ] || echo "because=$2"
    end prepare 1
    exit 1
}

# MARK is what the lease left under its root; another one means another lease's box. Where it is known to have been
# there, a root without it is not the disk we know.
check() {
    begin prepare
    if [ ! -d "$ROOT" ]; then
        [ -z "${2-}" ] || refuse no-mark
        refuse no-root
    fi
    # Our own launch, killed after it was started: nothing is left to prepare, whatever else may have changed since.
    if [ "$(cat "$D/claim" 2>/dev/null)" = "$TOKEN" ]; then
        for f in "$D"/started.*; do [ -e "$f" ] && refuse started; done
    fi
    [ -z "${2-}" ] || [ -e "$ROOT/lease-nonce" ] || refuse no-mark
    if [ -n "$1" ] && [ -e "$ROOT/lease-nonce" ]; then
        [ "$(head -c 200 "$ROOT/lease-nonce" 2>/dev/null)" = "$1" ] || refuse other-box
    fi
    if [ "$RELEASE" = @current ]; then
        RELEASE=$(head -c 200 "$ROOT/current" 2>/dev/null | tr -d '\r\n')
        case $RELEASE in '' | *[!0-9a-f]*) refuse no-release ;; esac
    fi
    [ -z "$RELEASE" ] || [ -d "$ROOT/releases/$RELEASE" ] || refuse no-release
}

# Other runs whose job lives, whatever their records say, with the GPUs they were given (none named: all).
live() {
    for d in "$ROOT"/runs/*/; do
        d=${d%/}
        [ "$d" != "$D" ] && [ -e "$d/start.json" ] || continue
        p=$(sed -n 's/^.*"pid":\([0-9][0-9]*\).*$/\1/p' "$d/start.json")
        t=$(sed -n 's/^.*"start_ticks":\([0-9][0-9]*\).*$/\1/p' "$d/start.json")
        [ "$(sed 's/^.*) //' "$PROC/$p/stat" 2>/dev/null | cut -d' ' -f20)" = "$t" ] || continue
        echo "live=${d##*/} $(head -c 200 "$d/gpus" 2>/dev/null)"
    done
}

gpu_count() {
    i=0
    for device in "$DEV"/nvidia[0-9] "$DEV"/nvidia[0-9][0-9]; do [ -e "$device" ] && i=$((i + 1)); done
    echo $i
}

# WANTED is "share", a list such as 0,1, or empty for all GPUs. Two runs get no GPU in common unless they share. LIST is
# what the run asked for by number: a GPU that is not there would leave it without any.
guard() {
    for gpu in $(echo "${2-}" | tr , ' '); do
        case $gpu in *[!0-9]*) continue ;; esac
        [ -e "$DEV/kfd" ] || [ -e "$DEV/dxg" ] || [ "$gpu" -lt "$(gpu_count)" ] || refuse no-gpu "$gpu, and it has $(gpu_count)"
    done
    [ "$1" != share ] && [ "$(gpu_count)" -gt 0 ] || return 0
    taken=$(
        live | while read -r name theirs; do
            name=${name#live=}
            [ -n "$1" ] && [ -n "$theirs" ] || echo "$name"
            for gpu in $(echo "$1" | tr , ' '); do
                case ",$theirs," in *",$gpu,"*) echo "$name" ;; esac
            done
        done | head -n 1
    )
    [ -z "$taken" ] || refuse gpus-taken "$taken"
}

claim() {
    [ -d "$ROOT/runs" ] || mkdir -m 700 "$ROOT/runs" 2>/dev/null
    mkdir -m 700 "$D" 2>/dev/null || [ -d "$D" ] ||
        refuse claim "$(mkdir "$D" 2>&1; df -Pk "$ROOT" 2>/dev/null | tail -n 1)"
    # The one claim: of all launches exactly one places the file, and it appears whole, so that a launch killed right
    # here leaves a name that is still free.
    echo "$TOKEN" >"$D/claim.$TOKEN" || refuse claim "$(df -Pk "$ROOT" 2>/dev/null | tail -n 1)"
    won=
    if ln "$D/claim.$TOKEN" "$D/claim" 2>/dev/null; then
        won=yes
    elif [ ! -e "$D/claim" ]; then # no hard links on this tier
        (set -C && cat "$D/claim.$TOKEN" >"$D/claim") 2>/dev/null && won=yes
    fi
    rm -f "$D/claim.$TOKEN"
    if [ -n "$won" ]; then
        echo claim=ours
    elif [ "$(cat "$D/claim" 2>/dev/null)" = "$TOKEN" ]; then
        echo claim=again # our own launch, which was killed or whose answer was lost
    else
        echo "claimed=$(stat -c %Y "$D" 2>/dev/null)"
        refuse taken
    fi
    [ -d "$D/work" ] && return
    W=$D/work.part.$N
    rm -rf "$D"/work.part*
    mkdir "$W" || refuse work
    [ -n "$RELEASE" ] || return
    cp -a --reflink=auto "$ROOT/releases/$RELEASE/." "$W/" 2>/dev/null || {
        rm -rf "$W"
        mkdir "$W"
        cp -pR "$ROOT/releases/$RELEASE/." "$W/" 2>"$D/copy.err" ||
            refuse copy "$(head -n 1 "$D/copy.err"; df -Pk "$ROOT" 2>/dev/null | tail -n 1)"
        rm -f "$D/copy.err"
    }
    # Files of a release are read-only; the run owns its copy.
    chmod -R u+w "$W" 2>/dev/null
}

# Puts a symbolic link into the work tree, unless the code has something of that name.
place() {
    [ -n "${W-}" ] || return 0
    if [ -e "$W/$1" ] || [ -L "$W/$1" ]; then
        echo "kept=$1"
        return
    fi
    case $1 in */*) mkdir -p "$W/${1%/*}" ;; esac
    ln -s "$2" "$W/$1" || refuse link "$1"
}

persist() {
    mkdir -p "$ROOT/shared/$1" || refuse persist "$1"
    place "$1" "$ROOT/shared/$1"
}

link() {
    case $2 in
        '~/'*) place "$1" "$HOME/${2#??}" ;;
        *) place "$1" "$2" ;;
    esac
}

settle() {
    if [ -n "${W-}" ] && [ ! -d "$D/work" ]; then
        echo "$RELEASE" >"$D/release" && mv "$W" "$D/work" || refuse work
    fi
    # An earlier call of ours may still have been at it: its tree stands, and a second one moves into it.
    [ -z "${W-}" ] || rm -rf "$W" "$D/work/${W##*/}"
    echo "release=$(cat "$D/release" 2>/dev/null || echo "$RELEASE")"
    echo work=ready
    end prepare 0
    begin volatile
}

# The first directory that is ours, private and writable wins.
volatile() {
    [ -z "${V-}" ] || return 0
    v=$1/drawhitch-$(id -u)
    mkdir -m 700 "$v" 2>/dev/null
    [ -d "$v" ] && [ ! -L "$v" ] && [ -O "$v" ] && chmod 700 "$v" 2>/dev/null && [ -w "$v" ] || return 0
    V=$v
    echo "volatile=$v"
}

# Prints FILE's content behind a word, for the control group at PATH below BASE and for all above it.
walk() {
    q=$3
    while :; do
        if [ -r "$2$q/$4" ]; then
            if [ -n "${5-}" ]; then
                echo "$1 $(cat "$2$q/$4") $(cat "$2$q/$5" 2>/dev/null)"
            else
                echo "$1 $(cat "$2$q/$4")"
            fi
        fi
        case $q in '' | /) break ;; esac
        q=${q%/*}
    done
}

cpu() {
    echo "nproc=$(nproc 2>/dev/null)"
    sed -n 's/^Cpus_allowed_list:[[:space:]]*/affinity=/p' "$PROC/self/status" 2>/dev/null
    g=$(sed -n 's/^0:://p' "$PROC/self/cgroup" 2>/dev/null)
    walk v2 "$CGROUP" "$g" cpu.max
    walk cpuset "$CGROUP" "$g" cpuset.cpus.effective
    g=$(sed -n 's/^[0-9]*:\([^:]*,\)*cpu\(,[^:]*\)*://p' "$PROC/self/cgroup" 2>/dev/null | head -n 1)
    for base in "$CGROUP/cpu,cpuacct" "$CGROUP/cpu"; do
        [ -d "$base" ] || continue
        walk v1 "$base" "$g" cpu.cfs_quota_us cpu.cfs_period_us
        break
    done
    g=$(sed -n 's/^[0-9]*:\([^:]*,\)*cpuset\(,[^:]*\)*://p' "$PROC/self/cgroup" 2>/dev/null | head -n 1)
    walk cpuset "$CGROUP/cpuset" "$g" cpuset.cpus
}

facts() {
    end volatile 0
    begin cpu
    cpu
    end cpu 0
    begin box
    for driver in setsid nohup tmux; do command -v $driver >/dev/null 2>&1 && echo "driver=$driver"; done
    echo "gpus=$(gpu_count)"
    echo "now=$(date +%s)"
    live
    end box 0
    printf '\n=%s=Z\n' "$N"
}
