# shellcheck shell=sh
# What kind of machine this is, framed by the nonce N. Values come before it: N. Calls come after it: for each place of
# interest `place NAME PATH` ("~" at the start is the home), then once: inspect_end
# It prints no value of the environment, only names. It writes one file into each place and removes it again.
LC_ALL=C
export LC_ALL
unset LD_PRELOAD
begin() { printf '\n=%s=B %s\n' "$N" "$1"; }
end() { printf '\n=%s=E %s rc=%s\n' "$N" "$1" "$2"; }
names() { sed -n 's/^\([A-Za-z_][A-Za-z0-9_]*\)=.*$/\1/p' | sort -u | head -n 1000; }

begin box
echo "now=$(date +%s)"
echo "user=$(id -un 2>/dev/null)"
echo "uid=$(id -u 2>/dev/null)"
echo "home=$HOME"
echo "system=$(uname -s 2>/dev/null)"
echo "machine=$(uname -m 2>/dev/null)"
echo "kernel=$(uname -r 2>/dev/null)"
echo "os=$(sed -n 's/^PRETTY_NAME=//p' /etc/os-release 2>/dev/null | tr -d '"')"
echo "boot_id=$(cat /proc/sys/kernel/random/boot_id 2>/dev/null)"
echo "hostname=$(uname -n 2>/dev/null)"
[ -e /.dockerenv ] || [ -e /run/.containerenv ] && echo 'container=yes'
for tool in tmux setsid nohup systemd-run sbatch python3 nvidia-smi find awk stat timeout; do
    command -v "$tool" >/dev/null 2>&1 && echo "tool=$tool"
done
end box 0

begin env
env | names
end env 0
# The container's first process was started with the image's and the platform's variables; a login over SSH often was not.
begin env1
{ tr '\0' '\n' </proc/1/environ | names; } 2>/dev/null
end env1 0

begin gpu
if command -v nvidia-smi >/dev/null 2>&1; then
    limit=
    command -v timeout >/dev/null 2>&1 && limit='timeout 15'
    $limit nvidia-smi --query-gpu=name,memory.total,driver_version --format=csv,noheader 2>&1 | head -n 64
fi
end gpu $?

place() {
    P=$2
    case $P in
        '~') P=$HOME ;;
        '~/'*) P=$HOME/${P#'~/'} ;;
    esac
    begin "place:$1"
    echo "path=$P"
    # The nearest directory that exists answers for what is still to be made.
    D=$P
    while [ ! -d "$D" ] && [ "$D" != / ] && [ -n "$D" ]; do D=$(dirname "$D"); done
    [ -d "$P" ] && echo 'exists=yes'
    T=$D/.drawhitch-inspect-$$
    if (umask 077 && printf '#!/bin/sh\nexit 0\n' >"$T") 2>/dev/null; then
        echo 'writable=yes'
        chmod 700 "$T" 2>/dev/null && "$T" 2>/dev/null && echo 'exec=yes'
        rm -f "$T"
    fi
    echo "bytes=$(df -Pk "$D" 2>/dev/null | tail -n 1)"
    echo "inodes=$(df -Pi "$D" 2>/dev/null | tail -n 1)"
    echo "fs=$(stat -f -c %T "$D" 2>/dev/null)"
    end "place:$1" 0
}

inspect_end() { printf '\n=%s=Z\n' "$N"; }
