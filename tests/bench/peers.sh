#!/usr/bin/env bash
# shellcheck disable=SC2086,SC2317  # options of a link are several words; the tools are called by name
# drawhitch beside the programs that its users have, on emulated links: whole commands from cold start, destination on
# tmpfs, the helper on the box and its place known, every result compared. The tools take turns. One CSV row a run.
#
#   NETLAB=…/netlab scripts/bench peers          NETLAB is the WAN emulator's program; root is needed
#   ROWS='1g150 random pull;1g20 logs pull'      link, payload, direction (default: those of docs/performance.md)
#   TOOLS='drawhitch scp rsync rsyncz tarzstd lftp rclone'   what is not installed is left out and told
#   RUNS=3   CAP=60   seconds after which a run is ended   CACHE=…   where payloads are kept between calls
set -euo pipefail
: "${DRAWHITCH:?scripts/bench sets it}"
[ -n "${NETLAB:-}" ] || { echo 'peers: NETLAB must name the WAN emulator; nothing was measured' >&2; exit 0; }
RUNS=${RUNS:-3} CAP=${CAP:-60} TOOLS=${TOOLS:-drawhitch scp rsync rsyncz tarzstd lftp rclone}
ROWS=${ROWS:-1g150 random pull;1g150 random push;1g20 random pull;1g20 random push;1g80loss cut pull;1g80loss cut push;\
200m80 bf16 pull;200m80 checkpoint pull;1g20 small pull;200m80 small pull;1g150 small pull;1g20 logs pull;loop random pull}
declare -A LINK=(
  [loop]='--veth'
  [1g20]='--delay-ms 10 --rate-mbit 1000 --queue-ms 50'
  [1g150]='--delay-ms 75 --rate-mbit 1000 --queue-ms 50'
  [200m80]='--delay-ms 40 --rate-mbit 200 --queue-ms 50'
  [1g80loss]='--delay-ms 40 --rate-mbit 1000 --queue-ms 50 --loss 0.1'
)
work=$(mktemp -d) lab=peers$$ server=''
CACHE=${CACHE:-$work/cache}
cleanup() {
  [ -z "$server" ] || kill "$server" 2> /dev/null || true
  "$NETLAB" down "$lab" > /dev/null 2>&1 || true
  umount "$work/ram" 2> /dev/null || true
  rm -rf "$work"
}
trap cleanup EXIT
mkdir -p "$CACHE" "$work/ram" /run/sshd
mount -t tmpfs -o size=3g tmpfs "$work/ram"
make=$(dirname "$DRAWHITCH")/bench/make_payload

# payload NAME: sets source, a file or a directory.
payload() {
  source=$CACHE/$1
  [ ! -e "$source" ] || return 0
  case $1 in
    random | bf16 | checkpoint) "$make" "$1" $((512 << 20)) > "$source.new" ;;
    cut) "$make" random $((128 << 20)) > "$source.new" ;;
    logs) "$make" logs $((1 << 30)) > "$source.new" ;;
    small) # 10 000 files of 4 KiB in 100 directories
      mkdir "$source.new"
      "$make" logs $((4096 * 10000)) | (cd "$source.new" && split -b 4096 -a 4 -d - f)
      (cd "$source.new" && for n in f????; do mkdir -p "d${n:1:2}" && mv "$n" "d${n:1:2}/"; done)
      ;;
    *) echo "peers: no payload is called $1" >&2; exit 2 ;;
  esac
  mv "$source.new" "$source"
}

on_laptop() { "$NETLAB" exec "$lab" laptop -- "$@"; }
from_to() { if [ "$direction" = pull ]; then from=box:$source to=$target/; else from=$source to=box:$target/; fi; }
tool_drawhitch() { from_to; on_laptop "$DRAWHITCH" -q cp "$from" "$to"; }
tool_scp() { from_to; on_laptop scp -rqF "$work/ssh_config" "$from" "$to"; }
tool_rsync() { from_to; on_laptop rsync -a -e "ssh -F $work/ssh_config" "$from" "$to"; }
tool_rsyncz() { from_to; on_laptop rsync -a -z --zc=zstd --zl=1 -e "ssh -F $work/ssh_config" "$from" "$to"; }
tool_tarzstd() {
  local above name
  above=$(dirname "$source") name=$(basename "$source")
  if [ "$direction" = pull ]; then
    on_laptop ssh -F "$work/ssh_config" box "tar -C $above -cf - $name | zstd -q -1 -T0" | zstd -dq | tar -C "$target" -xf -
  else
    tar -C "$above" -cf - "$name" | zstd -q -1 -T0 | on_laptop ssh -F "$work/ssh_config" box "zstd -dq | tar -C $target -xf -"
  fi
}
tool_lftp() {
  local how="set sftp:connect-program 'ssh -a -x -F $work/ssh_config'; set cmd:fail-exit yes; open sftp://root:@box;"
  local name=$target/${source##*/}
  case $direction-$([ -d "$source" ] && echo tree) in
    pull-) on_laptop lftp -c "$how pget -n 8 $source -o $target/" ;;
    push-) on_laptop lftp -c "$how put -O $target $source" ;;
    pull-tree) on_laptop lftp -c "$how mirror -c --parallel=8 $source $name" ;;
    push-tree) on_laptop lftp -c "$how mirror -R -c --parallel=8 $source $name" ;;
  esac
}
tool_rclone() {
  local how=(--config /dev/null --sftp-host "$box" --sftp-port 2222 --sftp-user root --sftp-key-file "$work/key" -q
    --multi-thread-streams 8 --multi-thread-cutoff 16M --transfers 8 --sftp-concurrency 64) to=$target
  [ ! -d "$source" ] || to=$target/${source##*/}
  if [ "$direction" = pull ]; then on_laptop rclone copy ":sftp:$source" "$to" "${how[@]}"; else on_laptop rclone copy "$source" ":sftp:$to" "${how[@]}"; fi
}

# connect LINK: the link, a server behind it, and the box adopted, with the helper there.
connect() {
  [ -z "$server" ] || kill "$server" 2> /dev/null || true
  "$NETLAB" down "$lab" > /dev/null 2>&1 || true
  "$NETLAB" up "$lab" ${LINK[$1]} --cc cubic
  box=10.99.$(cat "${NETLAB_STATE:-/run/netlab}/$lab/subnet").2
  (cd "$work" && rm -rf home state config project host host.pub key key.pub)
  mkdir -m 700 "$work"/{home,state,config,project}
  ssh-keygen -q -t ed25519 -N '' -f "$work/host"
  ssh-keygen -q -t ed25519 -N '' -f "$work/key"
  printf '%s\n' "HostKey $work/host" 'Port 2222' "AuthorizedKeysFile $work/key.pub" 'StrictModes no' 'UsePAM no' \
    'PermitRootLogin yes' 'PasswordAuthentication no' "PidFile $work/sshd.pid" 'MaxStartups 100' 'UseDNS no' \
    'Subsystem sftp internal-sftp' > "$work/sshd_config"
  printf '%s\n' 'Host box' " HostName $box" ' Port 2222' ' User root' " IdentityFile $work/key" ' IdentitiesOnly yes' \
    " UserKnownHostsFile $work/known" ' StrictHostKeyChecking yes' ' LogLevel ERROR' > "$work/ssh_config"
  echo "[$box]:2222 $(cut -d' ' -f1,2 "$work/host.pub")" > "$work/known"
  rm -f "$work/sshd.pid"
  "$NETLAB" exec "$lab" box -- /usr/sbin/sshd -f "$work/sshd_config" -E "$work/sshd.log"
  for _ in $(seq 100); do [ ! -s "$work/sshd.pid" ] || break; sleep 0.05; done
  server=$(cat "$work/sshd.pid")
  export HOME=$work/home XDG_STATE_HOME=$work/state XDG_CONFIG_HOME=$work/config NO_COLOR=1
  (cd "$work/project" && on_laptop "$DRAWHITCH" -q adopt box ssh -p 2222 -i "$work/key" "root@$box" --accept-host-key any > /dev/null 2>&1)
  echo warm > "$work/ram/warm"
  on_laptop "$DRAWHITCH" -q cp "box:$work/ram/warm" "$work/project/" > /dev/null
}

# Bytes to the box and from it so far, as the link counts them.
crossed() {
  # shellcheck disable=SC2016  # the program is awk's
  if [ "$1" = loop ]; then on_laptop awk '/wan0:/ { print $10, $2 }' /proc/net/dev; else
    "$NETLAB" stats "$lab" | awk '/^(up|down)/ { for (i = 2; i <= NF; i++) if ($i ~ /^bytes=/) printf "%s ", substr($i, 7) }'
  fi
}

for tool in $TOOLS; do
  case $tool in
    drawhitch) needs=true ;; rsyncz) needs=rsync ;; tarzstd) needs=zstd ;; *) needs=$tool ;;
  esac
  if command -v "$needs" > /dev/null; then present+=" $tool"; else echo "peers: $needs is not installed" >&2; fi
done
echo 'link,payload,direction,tool,run,result,seconds,bytes,sent,received'
last=''
while read -r link name direction; do
  [ "$link" = "$last" ] || connect "$link"
  last=$link
  payload "$name"
  bytes=$(find "$source" -type f -printf '%s\n' | awk '{ sum += $1 } END { print sum }')
  for run in $(seq "$RUNS"); do
    for tool in $present; do
      rm -rf "$work/ram"/*
      target=$work/ram/$tool result=ok
      mkdir "$target"
      find "$source" -type f -exec cat {} + > /dev/null # in the cache for all alike
      read -r up down <<< "$(crossed "$link")"
      begun=$EPOCHREALTIME
      export -f tool_$tool on_laptop from_to
      NETLAB=$NETLAB DRAWHITCH=$DRAWHITCH work=$work lab=$lab box=$box source=$source target=$target direction=$direction \
        timeout --foreground -k 2 "$CAP" bash -c "tool_$tool" > /dev/null 2>&1 < /dev/null || result=failed$?
      took=$(awk "BEGIN { printf \"%.2f\", $EPOCHREALTIME - $begun }")
      for pid in $(ip netns pids "$lab-laptop") $(ip netns pids "$lab-box"); do [ "$pid" = "$server" ] || kill "$pid" 2> /dev/null || true; done
      sleep 0.3
      read -r up2 down2 <<< "$(crossed "$link")"
      [ "$result" != ok ] || diff -rq "$source" "$target/${source##*/}" > /dev/null || result=differs
      echo "$link,$name,$direction,$tool,$run,$result,$took,$bytes,$((up2 - up)),$((down2 - down))"
    done
  done
done < <(tr ';' '\n' <<< "$ROWS")
