# No bytes and no inodes left are told apart, and both are exit code 11.
. "$CLI_TESTS/privileges.sh.inc"
. "$CLI_TESTS/skip.sh.inc"
can_mount || skip_without "the right to make user and mount namespaces"
mkdir "$SCRATCH/disk"
try() {
    code=0
    XDG_STATE_HOME=$SCRATCH/disk drawhitch ls 2>&1 || code=$?
    echo "exit $code"
}
fill() {
    dd if=/dev/zero of="$SCRATCH/disk/filler" bs=4k 2>/dev/null || true
}
export -f try fill
echo "# no inodes for the directory"
with_tiny_disk "$SCRATCH/disk" size=1m,nr_inodes=1 bash -c try
echo "# no inodes for the ledger"
with_tiny_disk "$SCRATCH/disk" size=1m,nr_inodes=2,mode=700 bash -c try
echo "# no inodes for what SQLite needs beside it"
with_tiny_disk "$SCRATCH/disk" size=1m,nr_inodes=3,mode=700 bash -c try
echo "# no space for the ledger"
with_tiny_disk "$SCRATCH/disk" size=16k,mode=700 bash -c try
echo "# a disk that fills up afterwards"
with_tiny_disk "$SCRATCH/disk" size=1m,mode=700 bash -c 'try; fill; try; XDG_STATE_HOME=$SCRATCH/disk drawhitch adopt b1 local 2>&1 || echo "exit $?"'
echo "# a read-only disk"
with_tiny_disk "$SCRATCH/disk" size=1m,mode=700 bash -c 'mount -o remount,ro "$SCRATCH/disk"; try'
