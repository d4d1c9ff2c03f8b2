# For machines each change is a row when it is seen: a line of --jsonl at once, a member of data.changes with --json.
. "$CLI_TESTS/road.sh.inc"
mkdir project && cd project
adopt_here
drawhitch run b1 --name r1 --no-outputs -- sh -c "while ! [ -e '$SCRATCH/go' ]; do sleep 0.1; done" >/dev/null 2>&1
: >"$SCRATCH/rows"
drawhitch watch b1 --every 1s --jsonl >"$SCRATCH/rows" 2>/dev/null &
lines=$!
for _ in $(seq 200); do
    grep -q '"name":"changes".*RUNNING' "$SCRATCH/rows" && echo "told while it runs" && break
    sleep 0.1
done
touch "$SCRATCH/go"
wait $lines
python3 - "$SCRATCH/rows" <<'CHECK'
import json, sys
lines = [json.loads(line) for line in open(sys.argv[1])]
for line in lines:
    if line["type"] == "row":
        row = line["value"]
        print(line["name"], row["box"], row["run"], row["verdict"], row["exit_code"], "at" in row)
print(sum(line["type"] == "event" and line["event"]["kind"] == "note" for line in lines), "notes")
CHECK
drawhitch watch b1 --json 2>/dev/null >"$SCRATCH/one"
field '[(r["run"], r["verdict"]) for r in j["data"]["changes"]], [r["verdict"] for r in j["data"]["runs"]]' <"$SCRATCH/one"
