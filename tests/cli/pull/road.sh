# A run's outputs come home once; patterns narrow; damage here is repaired; the manifest is what sha256sum reads.
mkdir proj && cd proj
printf 'print()\n' > train.py
drawhitch -q adopt b1 local --data-dir "$SCRATCH/data" > /dev/null
drawhitch -q run b1 --name r1 --out 'out/**' -- sh -c 'mkdir out; for i in 1 2 3; do mkdir out/step_$i; echo $i > out/step_$i/w.bin; done; echo log > out/log.txt' > /dev/null || true
for _ in $(seq 200); do drawhitch -q ps b1 r1 | grep -q DONE && break; done
drawhitch -q pull b1 r1 -n | cut -f1,3 | grep '^out'
drawhitch -q pull b1 r1 'out/step_*/' --newest 1 --to here | grep '^out' | cut -f1,3,5
ls here here/out
drawhitch -q pull b1 r1 | grep '^out' | cut -f1,3,5
(cd pulls/b1/r1 && sha256sum -c --strict --quiet SHA256SUMS && echo "sums are right")
printf Y > pulls/b1/r1/out/step_2/w.bin
drawhitch -q verify b1 r1 > /dev/null 2>&1 || echo "verify: exit $?"
drawhitch -q pull b1 r1 | grep '^out' | cut -f1,3
cat pulls/b1/r1/out/step_2/w.bin
