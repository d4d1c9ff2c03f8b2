# What PLACE can be, and every mistake is told before anything is read or connected to.
mkdir plain
drawhitch -q verify plain || echo "exit $?"
drawhitch -q verify nosuch || echo "exit $?"
drawhitch -q verify nosuch r1 || echo "exit $?"
drawhitch -q verify nosuch/ || echo "exit $?"
drawhitch -q verify plain/ r1 || echo "exit $?"
drawhitch -q verify plain/ --box nobox || echo "exit $?"
drawhitch -q verify plain/ --rehash || echo "exit $?"
drawhitch -q adopt b1 local --data-dir "$SCRATCH/data" > /dev/null
drawhitch -q pull b1 --newest 0 || echo "exit $?"
drawhitch -q pull b1 --class most || echo "exit $?"
