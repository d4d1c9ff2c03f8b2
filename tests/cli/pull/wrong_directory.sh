# Results land in the box's own project, or where --to says; another directory is refused, and the right line is shown.
. "$CLI_TESTS/road.sh.inc"
mkdir proj other none
printf 'print(1)\n' >proj/train.py
printf 'project = "other"\n' >other/drawhitch.toml
cd proj
adopt_here --data-dir "$SCRATCH/data"
run_job r1 a.pt sh -c 'printf abc >a.pt'
cd ..
refuse() {
    "$@" >/dev/null 2>err.txt && echo "not refused" || echo "exit $?"
    grep -E '^(error|why|next)' err.txt
}
refuse drawhitch -C none pull b1 r1
refuse drawhitch -C none pull
refuse drawhitch -C other -y pull b1 r1 'a.*' --newest 1
refuse drawhitch -C none pull b1 -n
ls -A none other
drawhitch -q -C none pull b1 r1 --to here >/dev/null && cat none/here/a.pt && echo
mkdir proj/sub && drawhitch -q -C proj/sub pull b1 r1 >/dev/null && cat proj/pulls/b1/r1/a.pt && echo
ln -s proj link && drawhitch -q -C link pull b1 r1 >/dev/null && echo the same by another name
drawhitch -q -C none verify b1 r1 >/dev/null 2>&1 || echo "verify looks where it stands: exit $?"
