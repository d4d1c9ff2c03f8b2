# One word after -- is a line for the box's shell, as exec takes it; several are the program and its arguments, exactly.
. "$CLI_TESTS/road.sh.inc"
adopt_here
printf 'import sys; print(sys.argv[1:])\n' >train.py
for line in 'python3 train.py --steps 1' 'X=2 && echo "$X" | tr 2 3'; do
    drawhitch run b1 --no-outputs -- "$line" >/dev/null 2>&1 || echo "exit $?"
done
drawhitch run b1 --no-outputs -- python3 train.py 'a  b' '$HOME' >/dev/null 2>&1
drawhitch watch b1 >/dev/null 2>&1 || echo "exit $?"
for run in r1 r2 r3; do drawhitch logs b1 $run 2>/dev/null; done
