# Somebody's file in a release is neither removed by the next push nor kept in silence.
mkdir proj && cd proj
printf 'print(1)\n' > train.py
drawhitch -q adopt b1 local --data-dir "$SCRATCH/data" > /dev/null
drawhitch -q push > /dev/null
root=$SCRATCH/data/drawhitch/proj
mkdir "$root/latest/ckpt"
echo week > "$root/latest/ckpt/model.pt"
echo 'print(2)' > "$root/latest/edited.tmp" && mv "$root/latest/edited.tmp" "$root/latest/train.py"
tell() { sed "s|$SCRATCH|SCRATCH|g; s|([0-9.]* KiB)|(SIZE)|; s|kept-[0-9a-f]*-[0-9a-f]*|KEPT|g; s|release [0-9a-f]\{12\}|release HASH|g"; }
drawhitch push 2>&1 | tell
cat "$root/latest/train.py"
cat "$root"/releases/kept-*/ckpt/model.pt "$root"/releases/kept-*/train.py
printf 'print(3)\n' > train.py
eval "$(drawhitch push 2>&1 | sed -n 's/^.*`\(drawhitch cp .*\)` brings.*$/\1/p')" > /dev/null 2>&1
cat kept-*/ckpt/model.pt
