# The push inside of run says what it holds back, leaves out and finds faulty, as push does.
. "$CLI_TESTS/road.sh.inc"
adopt_here
printf 'print("hi")\n' >train.py
printf 'TOKEN=x\n' >.env
printf '#!/bin/sh\r\n' >go.sh
mkfifo pipe
drawhitch run b1 --no-outputs --json -- python3 train.py 2>err.txt >out.json
grep '^warning' err.txt
field '[[f["path"] for f in j["data"][k]] for k in ("held_back", "left_out", "flawed")]' <out.json
