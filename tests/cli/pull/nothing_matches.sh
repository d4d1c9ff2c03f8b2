# A run that nobody gave a roster, and patterns that match nothing: told, with exit code 3 and what to type.
. "$CLI_TESTS/road.sh.inc"
mkdir proj && cd proj
printf 'print()\n' > train.py
adopt_here --data-dir "$SCRATCH/data"
drawhitch -q run b1 --name bare -- sh -c 'echo 1 > model.bin' > /dev/null 2>&1 || true
run_job typo 'ckpt/*.pt' sh -c 'mkdir ckp; echo 1 > ckp/a.pt' || true
drawhitch watch b1 > /dev/null 2>&1 || true
drawhitch -q pull b1 bare > /dev/null || echo "exit $?"
drawhitch --json pull b1 bare 2> /dev/null | field '[j["exit"], j["warnings"], j["next"]]' || true
drawhitch -q pull b1 bare --all --to whole > /dev/null || echo "exit $?"
cat whole/model.bin
drawhitch -q pull b1 typo > /dev/null || echo "exit $?"
drawhitch -q pull b1 typo 'ckp/**' || echo "exit $?"
drawhitch -q pull b1 typo 'ckp/**' --all > /dev/null || echo "exit $?"
