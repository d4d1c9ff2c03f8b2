# A cloned project must not ship files of this machine: its links are followed only once it is trusted, each is named with
# where it leads, and what looks like a secret there is held back by its true name.
mkdir -p "$SCRATCH/home/notes/deep" "$SCRATCH/home/.aws" cloned && cd cloned
echo mine > "$SCRATCH/home/notes/private.txt"
echo deep > "$SCRATCH/home/notes/deep/more.txt"
echo shared > "$SCRATCH/home/shared.txt"
echo plain words > "$SCRATCH/home/.aws/credentials"
ln -s "$SCRATCH/home/shared.txt" readme.txt
ln -s ../../home/notes notes
ln -s "$SCRATCH/home/.aws/credentials" settings.txt
ln -s "$SCRATCH/home/notes/private.txt" "$SCRATCH/home/notes/again"
echo 'print(1)' > train.py
printf '[push]\noutside_links = "follow"\n' > drawhitch.toml
drawhitch -q adopt b1 local --data-dir "$SCRATCH/data" >/dev/null 2>&1
echo "== untrusted"
drawhitch push b1 2>&1 | sed 's/release [0-9a-f]\{12\}/release HASH/; s/([0-9]* B)/(SIZE)/' || echo "exit $?"
(cd "$SCRATCH/data/drawhitch/cloned/latest" && find . -type f -o -type l | sort)
echo "== trusted"
drawhitch trust --show
drawhitch -y trust
drawhitch push b1 2>&1 | sed 's/release [0-9a-f]\{12\}/release HASH/; s/([0-9]* B)/(SIZE)/'
cat "$SCRATCH/data/drawhitch/cloned/latest/readme.txt" "$SCRATCH/data/drawhitch/cloned/latest/notes/again"
drawhitch push b1 --json | python3 -c 'import json, sys
data = json.load(sys.stdin)["data"]
print([(link["path"], link["files"]) for link in data["followed"]], [file["path"] for file in data["held_back"]])'
echo "== copied as links"
printf '[push]\noutside_links = "copy"\n' > drawhitch.toml
drawhitch trust --show
drawhitch push -n b1 2>&1 | grep -v KiB || true
