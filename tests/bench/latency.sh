#!/usr/bin/env bash
# How long people wait: until `run` returns, whatever the job does with its descriptors, and until Ctrl-C has ended a verb.
# On this machine as the box, without a network. One CSV row a run: case,seconds.
#   RUNS (5) runs of each case.
set -euo pipefail
: "${DRAWHITCH:?scripts/bench sets it}"
RUNS=${RUNS:-5}

work=$(mktemp -d)
export HOME=$work/home XDG_STATE_HOME=$work/state XDG_CONFIG_HOME=$work/config NO_COLOR=1
mkdir -p "$HOME" "$work/project" "$XDG_CONFIG_HOME"
chmod 700 "$HOME" "$XDG_CONFIG_HOME"
cleanup() {
  for run in $("$DRAWHITCH" ps b1 --json 2> /dev/null | grep -o '"run":"[^"]*"' | cut -d'"' -f4); do
    "$DRAWHITCH" -q stop-run b1 "$run" --grace 0s > /dev/null 2>&1 || true
  done
  rm -rf "$work"
}
trap cleanup EXIT
cd "$work/project"
"$DRAWHITCH" -q adopt b1 local > /dev/null 2>&1
"$DRAWHITCH" -q push b1 > /dev/null 2>&1

row() { awk -v name="$1" -v from="$2" -v to="$3" 'BEGIN { printf "%s,%.3f\n", name, to - from }'; }

# run_case NAME COMMAND…: until the command that starts the job has returned.
run_case() {
  local name=$1 from
  shift
  for i in $(seq "$RUNS"); do
    from=$(date +%s.%N)
    "$DRAWHITCH" -q run b1 --name "$name$i" --share-gpu --no-outputs --no-push -- "$@" > /dev/null 2>&1
    row "run returns: $name" "$from" "$(date +%s.%N)"
    "$DRAWHITCH" -q stop-run b1 "$name$i" --grace 0s > /dev/null 2>&1 || true
  done
}
echo 'case,seconds'
run_case quiet sh -c 'exec sleep 600'
run_case holds-descriptors sh -c 'exec 3>&1 4>&2; while :; do echo x; echo y >&2; sleep 0.01; done'
run_case closes-descriptors sh -c 'exec <&- >&- 2>&-; exec sleep 600'
run_case ignores-signals sh -c "trap '' HUP TERM INT; while :; do sleep 1; done"

"$DRAWHITCH" -q run b1 --name follow --share-gpu --no-outputs --no-push -- sh -c 'while :; do echo x; sleep 0.2; done' > /dev/null 2>&1
"$DRAWHITCH" -q run b1 --name deaf --share-gpu --no-outputs --no-push -- sh -c "trap '' TERM; while :; do sleep 1; done" > /dev/null 2>&1
# ctrl_c NAME ARGUMENTS…: from INT to the end. Background jobs of a shell ignore INT, so a program sets it back.
ctrl_c() {
  local name=$1 from
  shift
  for _ in $(seq "$RUNS"); do
    env --default-signal=INT "$DRAWHITCH" "$@" > /dev/null 2>&1 &
    sleep 1
    from=$(date +%s.%N)
    kill -INT $!
    wait $! || true
    row "Ctrl-C ends: $name" "$from" "$(date +%s.%N)"
  done
}
ctrl_c watch watch b1 --every 60s
ctrl_c 'logs -f' logs b1 follow -f
ctrl_c exec exec b1 -- sleep 600
ctrl_c stop-run stop-run b1 deaf --grace 1h
