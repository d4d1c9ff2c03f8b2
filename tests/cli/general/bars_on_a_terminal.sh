# Bars are drawn while a pull runs, never wider than the terminal, and none is left behind. --plain draws none.
. "$CLI_TESTS/road.sh.inc"
adopt_here
run_job r1 big.bin sh -c 'yes weights | head -c 300000000 > big.bin'
"$CLI_TESTS/with_terminal.py" --columns 60 env TERM=xterm drawhitch pull b1 r1 > shown
python3 - <<'PY'
import re
shown = open("shown", encoding="utf-8").read()
drawn = re.findall(r"\x1b\[\?7l(.*?)\x1b\[\?7h", shown, re.S)
print("drawn", len(drawn) > 0)
print("fits", all(len(line) < 60 for block in drawn for line in block.splitlines()))
last = shown.rfind("\x1b[?7h")
print("erased", "\x1b[J" in shown[last:])
print("wrapping is on", shown.count("\x1b[?7l") == shown.count("\x1b[?7h"))
PY
rm -r pulls
"$CLI_TESTS/with_terminal.py" env TERM=xterm drawhitch pull b1 r1 --plain | grep -c $'\x1b' || true
