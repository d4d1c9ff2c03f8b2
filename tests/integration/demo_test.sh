#!/usr/bin/env bash
# `drawhitch demo` from the outside: it walks the whole road, leaves results that sha256sum agrees with, and nothing else;
# and when it is interrupted in the middle, nothing at all.
# usage: demo_test.sh DRAWHITCH
set -euo pipefail
drawhitch=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export TMPDIR=$scratch/tmp
mkdir "$TMPDIR" "$scratch/work"
cd "$scratch/work"

fail() {
  echo "demo_test: $*" >&2
  exit 1
}
nothing_left() {
  [ -z "$(ls -A "$TMPDIR")" ] || fail "left behind in $TMPDIR: $(ls "$TMPDIR")"
  for environ in /proc/[0-9]*/environ; do
    ! tr '\0' '\n' 2> /dev/null < "$environ" | grep -q "^HOME=$TMPDIR" || fail "still alive: ${environ%/environ}"
  done
}

"$drawhitch" demo --json > report.json || fail "exit $?: $(cat report.json)"
pulled="drawhitch-demo/pulls/demo-box/r1"
[ "$(find "$pulled" -name '*.safetensors' | wc -l)" = 2 ] || fail "checkpoints are missing"
(cd "$pulled" && sha256sum --quiet -c SHA256SUMS) || fail "sha256sum disagrees"
python3 - report.json << 'CHECK' || fail "the report is not what was promised"
import json, sys
report = json.load(open(sys.argv[1]))
exits = [step["exit"] for step in report["data"]["steps"]]
assert report["ok"] and exits.count(4) == 1 and exits.count(9) == 1 and set(exits) == {0, 4, 9}, exits
assert report["data"]["link_cut_at"] > 0
assert len(report["data"]["receipt"].splitlines()) == 8, report["data"]["receipt"]
CHECK
nothing_left

# Again, and twice at once, in the same directory; each path that is told is there afterwards.
"$drawhitch" demo > first.log 2>&1 &
first=$!
"$drawhitch" demo > second.log 2>&1 || fail "the second of two: $(tail -n 5 second.log)"
wait "$first" || fail "the first of two: $(tail -n 5 first.log)"
for log in first.log second.log; do
  report=$(sed -n 's/^Report: //p' "$log")
  python3 -m json.tool "$report" > /dev/null || fail "the report that $log names cannot be read: $report"
done
[ "$(find . -path "./drawhitch-demo*/pulls/demo-box/r1/SHA256SUMS" | wc -l)" = 3 ] || fail "not each demo has its own results: $(ls)"
nothing_left
if "$drawhitch" demo --dir drawhitch-demo > log 2>&1; then fail "a directory that is there was taken"; fi
grep -q '^error\[E-EXISTS\]' log || fail "it said: $(cat log)"
[ -e "$pulled/SHA256SUMS" ] || fail "results of an earlier demo are gone"

# Interrupted while the job trains.
"$drawhitch" demo --dir again > log 2>&1 &
demo=$!
while ! grep -q 'drawhitch watch' log; do
  kill -0 "$demo" 2> /dev/null || fail "the second demo ended early: $(cat log)"
  sleep 0.1
done
kill -INT "$demo"
status=0
wait "$demo" || status=$?
[ "$status" = 130 ] || fail "interrupted, it ended with $status: $(tail -n 5 log)"
[ ! -e again ] || fail "the interrupted demo left its project"
nothing_left

# Interrupted twice at once, as an impatient hand does.
"$drawhitch" demo --dir twice > log 2>&1 &
demo=$!
while ! grep -q 'drawhitch run' log; do
  kill -0 "$demo" 2> /dev/null || fail "the third demo ended early: $(cat log)"
  sleep 0.1
done
kill -INT "$demo"
sleep 0.02
kill -INT "$demo" 2> /dev/null || true # it may have ended
status=0
wait "$demo" || status=$?
[ "$status" = 130 ] || fail "interrupted twice, it ended with $status: $(tail -n 5 log)"
[ ! -e twice ] || fail "the demo that was interrupted twice left its project"
nothing_left
echo "demo_test: the road was walked, and interrupted, and nothing was left"
