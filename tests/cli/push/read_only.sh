# A file of a release cannot be written into by mistake; a run's own copy can, and releases still come and go.
. "$CLI_TESTS/privileges.sh.inc"
mkdir proj && cd proj
printf 'print(1)\n' > train.py
printf '#!/bin/sh\necho\n' > job.sh && chmod +x job.sh
as_user drawhitch -q adopt b1 local --data-dir "$SCRATCH/data" > /dev/null
as_user drawhitch -q push > /dev/null
root=$SCRATCH/data/drawhitch/proj
first=$(cat "$root/current")
stat -c '%a %n' "$root/latest/train.py" "$root/latest/job.sh" | sed "s|$root/||"
as_user sh -c "echo 'print(6)' > '$root/latest/train.py'" 2> /dev/null || echo "cannot be written"
as_user drawhitch run b1 --name r1 --no-outputs -- sh -c 'echo "#" >> train.py; ./job.sh; echo new > made.txt; rm job.sh; cat train.py made.txt' > /dev/null 2>&1
as_user drawhitch watch b1 > /dev/null 2>&1
as_user drawhitch logs b1 r1
cat "$root/latest/train.py"
for i in 2 3 4 5 6 7; do
    echo "print($i)" > train.py
    as_user drawhitch -q push 2>&1 > /dev/null
done
[ -d "$root/releases/$first" ] && echo "the run's release stays"
ls "$root/releases" | wc -l
as_user rm -r "$root" && echo "all gone"
