# A job from its launch to its proven end.
. "$CLI_TESTS/road.sh.inc"
adopt_here
printf 'import os\nos.makedirs("ckpt")\nprint("step 3/3, loss 0.5")\nopen("ckpt/last.bin", "w").write("x")\n' >train.py
drawhitch run b1 --out 'ckpt/*.bin' --json -- python3 train.py | field 'j["ok"], j["data"]["runs"][0]["run"], j["data"]["confirmed"]'
drawhitch watch b1 --every 1s --json |
    field 'j["exit"], [[r["run"], r["verdict"], r["exit_code"], r["signal"], r["progress"]] for r in j["data"]["runs"]]'
drawhitch ps b1 | cut -f1-4
drawhitch logs b1
