# No name may be longer than what is made of it on the box can carry; nothing is kept.
long=$(printf 'n%.0s' $(seq 101))
set +e
drawhitch adopt "$long" local 2>&1; echo "box: $?"
drawhitch adopt "$(printf 'n%.0s' $(seq 120000))" local 2>&1; echo "box: $?"
drawhitch adopt b1 local --project "$long" 2>&1; echo "project: $?"
mkdir here && cd here && printf 'project = "%s"\n' "$long" > drawhitch.toml
drawhitch adopt b1 local 2>&1; echo "drawhitch.toml: $?"
cd .. && drawhitch -q ls --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["data"]["leases"])'
rm -r here && mkdir "$(printf 'd%.0s' $(seq 200))" && cd ddd*
drawhitch -q adopt b1 local --data-dir "$SCRATCH/data" > /dev/null && printf 'print()\n' > train.py
drawhitch -q push --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["exit"])'
ls "$SCRATCH/data/drawhitch" | wc -c
