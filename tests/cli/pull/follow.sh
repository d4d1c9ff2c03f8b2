# While a run goes on: each unit is one line as soon as it is proven, half a file waits, Ctrl-C ends with 130, and the
# same command goes on until the run has ended. The job waits for what it is shown, so nothing here depends on time.
. "$CLI_TESTS/road.sh.inc"
mkdir proj && cd proj
printf 'print()\n' > train.py
adopt_here --data-dir "$SCRATCH/data"
gate() { printf 'while [ ! -e %s ]; do sleep 0.05; done; ' "$SCRATCH/tmp/$1"; }
job="exec 3>half.bin; echo half >&3; echo 1 >new; mv new one.bin; $(gate one)"
job+="mkdir new; echo 2 >new/w; mv new step-2; $(gate two)echo whole >&3; exec 3>&-; echo '{\"cut\":' >bad.json"
drawhitch run b1 --name r1 --out '*.bin' --out 'step-*/' --out '*.json' -- sh -c "$job" > /dev/null 2>&1
echo "-- one unit, then Ctrl-C"
python3 - << 'END'
import json, signal, subprocess
follow = subprocess.Popen(["drawhitch", "pull", "b1", "r1", "--follow", "--every", "1s", "--json"], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
for line in follow.stdout:
    row = json.loads(line)
    if row["type"] == "row" and row["value"]["unit"] == "one.bin":
        print(row["name"], row["value"]["unit"], row["value"]["files"], row["value"]["bytes"], row["value"]["proven"])
        follow.send_signal(signal.SIGINT)
    if row["type"] == "result":
        print("result", row["exit"], row["error"]["id"])
print("exit", follow.wait(), [text for text in follow.stderr.read().splitlines() if text.startswith("stopped")])
END
echo "-- again, to the run's end"
mkfifo pipe
(drawhitch pull b1 r1 --follow --every 1s --jsonl 2> /dev/null > pipe || echo "exit $?") &
while read -r line; do
    case $line in
        *'"unit":"one.bin"'*) touch "$SCRATCH/tmp/one" ;;
        *'"unit":"step-2"'*) touch "$SCRATCH/tmp/two" ;;
    esac
    printf '%s\n' "$line" >> lines
done < pipe
wait
python3 - << 'END'
import json
rows = [json.loads(line) for line in open("lines")]
units = [row["value"]["unit"] for row in rows if row["type"] == "row" and row["name"] == "units"]
print([unit for unit in units if not unit.startswith("_run/")][:2])
end = rows[-1]
print(end["type"], end["exit"], [f["path"] for f in (r["value"] for r in rows if r["type"] == "row" and r["name"] == "files") if not f["certified"]])
END
cat pulls/b1/r1/half.bin
echo "-- what does not fit"
drawhitch -q pull b1 r1 --every 1s || echo "exit $?"
drawhitch -q pull b1 r1 --follow --every 0s || echo "exit $?"
