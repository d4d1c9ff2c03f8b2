# Every command of the registry, typed with -n, leaves the laptop, the box and the ledger as they were.
. "$CLI_TESTS/road.sh.inc"
mkdir "$SCRATCH/box_side" tree
printf 'print(1)\n' >train.py
printf 'new\n' >tree/new.txt
adopt_here --data-dir "$SCRATCH/data"
drawhitch adopt b2 local --data-dir "$SCRATCH/data2" >/dev/null 2>&1
run_job kept a.pt sh -c 'printf abc >a.pt'
drawhitch pull b1 kept >/dev/null 2>&1
run_job done a.pt sh -c 'printf abc >a.pt; printf more >more.txt'
trap 'drawhitch -q stop-run b1 going --grace 0s >/dev/null 2>&1' EXIT
drawhitch run b1 --name going --out '*' -- sleep 600 >/dev/null 2>&1
printf 'print(2)\n' >"$SCRATCH/box_side/train.py"
sed -i 's/^\[pull\]/[pull]\nverify_cmd = ["true"]/' drawhitch.toml
drawhitch ps b1 >/dev/null 2>&1
drawhitch help | python3 "$CLI_TESTS/dry_run_table.py"
