#!/usr/bin/env bash
# shellcheck disable=SC2086  # "how to enter a namespace, then the program" is several words, or none
# Whole commands, from cold start to verified files, against a private sshd on this machine: what the program itself
# costs, without a network. One CSV row a run: case,seconds,MB/s,wire bytes.
#
# With NETLAB naming the WAN emulator's program (root needed), the same over an emulated link as well:
#   NETLAB=…/netlab RATE_MBIT=200 DELAY_MS=40 scripts/bench transfer
# RUNS (3) runs of each case; MIB (256) of payload, the link gets an eighth of it.
set -euo pipefail
: "${DRAWHITCH:?scripts/bench sets it}"
RUNS=${RUNS:-3} MIB=${MIB:-256} RATE_MBIT=${RATE_MBIT:-200} DELAY_MS=${DELAY_MS:-40}

work=$(mktemp -d)
lab=bench$$
pids=()
cleanup() {
  for pid in "${pids[@]}"; do kill "$pid" 2> /dev/null || true; done
  [ -z "${NETLAB:-}" ] || "$NETLAB" down "$lab" > /dev/null 2>&1 || true
  rm -rf "$work"
}
trap cleanup EXIT

export HOME=$work/home XDG_STATE_HOME=$work/state XDG_CONFIG_HOME=$work/config NO_COLOR=1
mkdir -m 700 "$HOME" "$work/project" "$work/data" "$work/config"
[ -d /run/sshd ] || mkdir -p /run/sshd 2> /dev/null || true
ssh-keygen -q -t ed25519 -N '' -f "$work/host"
ssh-keygen -q -t ed25519 -N '' -f "$work/key"
cp "$work/key.pub" "$work/authorized"

# start_sshd PREFIX ADDRESS PORT: PREFIX is how to enter a namespace, or empty.
start_sshd() {
  printf '%s\n' "HostKey $work/host" "ListenAddress $2:$3" "AuthorizedKeysFile $work/authorized" 'StrictModes no' \
    'UsePAM no' 'PermitRootLogin yes' 'PasswordAuthentication no' "PidFile $work/sshd.$3.pid" 'MaxStartups 100' > "$work/sshd.$3"
  $1 /usr/sbin/sshd -f "$work/sshd.$3" -E "$work/sshd.$3.log"
  for _ in $(seq 100); do [ -s "$work/sshd.$3.pid" ] && break; done
  pids+=("$(cat "$work/sshd.$3.pid")")
}

# timed CASE MEGABYTES COMMAND…: one row.
timed() {
  local name=$1 megabytes=$2 start end wire
  shift 2
  start=$(date +%s.%N)
  "$@" > "$work/out.json"
  end=$(date +%s.%N)
  wire=$(sed -n 's/.*"wire_bytes":\([0-9]*\).*/\1/p' "$work/out.json")
  awk -v n="$name" -v mb="$megabytes" -v a="$start" -v b="$end" -v w="$wire" \
    'BEGIN { printf "%s,%.3f,%.1f,%s\n", n, b - a, mb / (b - a), w }'
}

# cases LINK PREFIX BOX MIB: pull, pull again, push, push of nothing, many small files.
cases() {
  local link=$1 prefix=$2 box=$3 mib=$4 run
  local d="$prefix $DRAWHITCH -q --json"
  local root=$work/data-$link/drawhitch/project
  for run in $(seq "$RUNS"); do
    rm -rf "$work/here"
    timed "$link pull random" "$mib" $d pull "$box" r1 'big.bin' --to "$work/here"
    timed "$link pull again" "$mib" $d pull "$box" r1 'big.bin' --to "$work/here"
    rm -rf "$work/here"
    timed "$link pull 10000 small" 40 $d pull "$box" r1 'small/' --to "$work/here"
    printf '%s' "$run" > "$work/project/edit.py"
    timed "$link push one edit" 0 $d push "$box"
    timed "$link push nothing" 0 $d push "$box"
    rm -rf "$work/up" "$root/up"
    head -c "${mib}M" /dev/urandom > "$work/up"
    timed "$link cp to box" "$mib" $d cp "$work/up" "$box:$root/up/"
  done
}

# prepare LINK PREFIX ADDRESS PORT MIB: adopts the box and makes a finished run with the payload there.
prepare() {
  local link=$1 prefix=$2
  local d="$prefix $DRAWHITCH -q --no-input"
  mkdir -p "$work/data-$link"
  $d adopt "$link" ssh -p "$4" -i "$work/key" "$(id -un)@$3" --accept-host-key any --data-dir "$work/data-$link" --project project > /dev/null
  $d run "$link" --name r1 --out 'big.bin' --out 'small/' -- true > /dev/null || true
  local there=$work/data-$link/drawhitch/project/runs/r1/work
  head -c "${5}M" /dev/urandom > "$there/big.bin"
  mkdir "$there/small"
  (cd "$there/small" && head -c 30000000 /dev/urandom | base64 -w 4095 | split -l 1 -a 4 -)
  find "$there" -exec touch -d '2020-01-01' {} +
}

cd "$work/project"
for i in $(seq 2000); do printf 'x = %s\n' "$i" > "f$i.py"; done
echo 'case,seconds,MB/s,wire bytes'
start_sshd '' 127.0.0.1 2601
prepare loop '' 127.0.0.1 2601 "$MIB"
cases loop '' loop "$MIB"
if [ -n "${NETLAB:-}" ]; then
  "$NETLAB" up "$lab" --delay-ms "$DELAY_MS" --rate-mbit "$RATE_MBIT"
  subnet=$(cat "${NETLAB_STATE:-/run/netlab}/$lab/subnet")
  start_sshd "$NETLAB exec $lab box --" "10.99.$subnet.2" 2602
  prepare wan "$NETLAB exec $lab laptop --" "10.99.$subnet.2" 2602 $((MIB / 8))
  cases wan "$NETLAB exec $lab laptop --" wan $((MIB / 8))
fi
