# On a terminal the lines are as wide as it is; commands to type and words that are longer stay whole. Pipes get lines.
. "$CLI_TESTS/rented.sh.inc"
rent_here --price-hour 2
run_job r1 model.bin sh -c 'echo weights > model.bin'
echo 1 >"$SCRATCH/box/one stray.csv"
drawhitch -q down b1 -n >piped 2>/dev/null || true
for columns in 80 60; do
    "$CLI_TESTS/with_terminal.py" --columns $columns drawhitch -q down b1 -n --color never >shown || true
    COLUMNS_WANTED=$columns python3 - <<'END'
import os, re
width = int(os.environ["COLUMNS_WANTED"])
piped = open("piped").read().splitlines()
shown = open("shown").read().splitlines()
shown = shown[:next(i for i, line in enumerate(shown) if line.startswith("error"))]
print(width, "broken:", len(shown) > len(piped), "nothing lost:", " ".join(" ".join(piped).split()) == " ".join(" ".join(shown).split()))
commands = [line for line in piped if re.match("      drawhitch ", line)]
print("commands whole:", len(commands) > 0 and all(line in shown for line in commands))
print("lines that could be shorter:", [line for line in shown if len(line) > width and not re.search("drawhitch (pull|cp|down|adopt)", line) and not re.match(" {8}/", line) and len(line.split()) > 2])
END
done
