# A full disk here is told before anything is fetched, with what is needed; the same for inodes.
mkdir proj && cd proj
printf 'print()\n' > train.py
drawhitch -q adopt b1 local --data-dir "$SCRATCH/data" > /dev/null
drawhitch -q run b1 --name r1 --out 'out/**' -- sh -c 'mkdir out; head -c 20000000 /dev/urandom > out/m.bin; for i in $(seq 300); do echo $i > out/$i; done' > /dev/null || true
for _ in $(seq 200); do drawhitch -q ps b1 r1 | grep -q DONE && break; done
mkdir small
. "$CLI_TESTS/skip.sh.inc"
unshare -rm true 2> /dev/null || skip_without "the right to make user and mount namespaces"
unshare -rm sh -c 'mount -t tmpfs -o size=8m tmpfs small && drawhitch -q pull b1 r1 --to small; echo "exit $?"; ls -A small' 2>&1 | sed 's/[0-9.]* [KM]iB/N/g; s|/[^ ]*/small|DIR|g'
unshare -rm sh -c 'mount -t tmpfs -o size=64m,nr_inodes=100 tmpfs small && drawhitch -q pull b1 r1 --to small; echo "exit $?"; ls -A small' 2>&1 | sed 's/[0-9]* are free/N are free/; s|/[^ ]*/small|DIR|g'
