# Exactly one side is a box; what is missing on either side is told.
drawhitch -q adopt b1 local --data-dir "$SCRATCH/data" > /dev/null
drawhitch -q cp a b || echo "exit $?"
drawhitch -q cp b1:a b1:b || echo "exit $?"
drawhitch -q cp "b1:$SCRATCH/none" . || echo "exit $?"
drawhitch -q cp none "b1:$SCRATCH/x" || echo "exit $?"
drawhitch -q cp "b1:$SCRATCH/../etc" . || echo "exit $?"
printf 'odd' > $'a b\n\xff'
drawhitch -q cp $'a b\n\xff' "b1:$SCRATCH/dir/" | head -1
drawhitch -q cp "b1:$SCRATCH/dir" back | head -1
cat back/*
