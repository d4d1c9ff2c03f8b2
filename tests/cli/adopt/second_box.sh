# What comes next after a second box of a project, after a box moved, and outside of any project.
mkdir project && cd project
drawhitch adopt b1 local --data-dir "$SCRATCH/data" 2>&1 >/dev/null | sed "s,$SCRATCH,SCRATCH,g"
echo "-- second"
drawhitch adopt b2 local --data-dir "$SCRATCH/data" --project other 2>&1 >/dev/null | sed "s,$SCRATCH,SCRATCH,g"
echo "-- moved"
drawhitch -q run b1 --name r1 --no-outputs -- true >/dev/null 2>&1
drawhitch adopt b1 local 2>&1 >/dev/null | sed "s,$SCRATCH,SCRATCH,g"
echo "-- at home"
cd "$HOME" && drawhitch adopt b3 local --data-dir "$SCRATCH/data" --project third 2>&1 >/dev/null | sed "s,$SCRATCH,SCRATCH,g"
