# A GPU that the box does not have would leave the run without any; the name stays free.
. "$CLI_TESTS/road.sh.inc"
adopt_here
printf 'print()\n' >train.py
set +e
drawhitch run b1 --name r1 --gpus 999 --no-outputs -- true 2>&1 | sed 's/it has [0-9]*$/it has N/'
drawhitch -q run b1 --name r1 --gpus 999 --share-gpu --no-outputs -- true 2>/dev/null
echo "exit: $?"
drawhitch -q ps b1
drawhitch -q run b1 --name r1 --no-outputs -- true >/dev/null
echo "exit: $?"
