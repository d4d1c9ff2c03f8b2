mkdir proj && cd proj
printf 'print()\n' > train.py
drawhitch -q adopt b1 local --data-dir "$SCRATCH/data" > /dev/null
drawhitch -q pull b1 || echo "exit $?"
drawhitch -q pull b1 r7 || echo "exit $?"
