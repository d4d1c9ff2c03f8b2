# The same run pulled from another project's directory: the copy that is there already is told before a second one is made.
. "$CLI_TESTS/road.sh.inc"
mkdir one two
cd one
printf 'print()\n' > train.py
adopt_here --data-dir "$SCRATCH/data"
run_job r1 model.bin sh -c 'echo weights > model.bin'
drawhitch pull b1 r1 > /dev/null 2>&1
cd ../two
drawhitch pull b1 r1 --to here -n > /dev/null
drawhitch pull b1 r1 --to here --json 2> /dev/null | field '[(e["directory"].split("/")[-4:], e["files"]) for e in j["data"]["elsewhere"]]'
cat here/model.bin
drawhitch pull b1 r1 --to here --json 2> /dev/null | field '[j["data"]["elsewhere"], j["warnings"]]'
