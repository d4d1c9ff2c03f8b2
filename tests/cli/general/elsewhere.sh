# What is advised can be typed where the user is: with the -C that was typed, and keys by their whole paths.
mkdir -p 'a project' keys
cd 'a project' && drawhitch adopt b1 local >/dev/null 2>&1 && cd ..
drawhitch -C 'a project' run b1 --name r1 --no-outputs -- true 2>&1 >/dev/null | grep ^next || true
drawhitch -C 'a project' -q watch b1 >/dev/null 2>&1 || true
next=$(drawhitch -C 'a project' run b1 --name r1 --no-outputs -- true 2>&1 | sed -n 's/^next: //p') || true
echo "$next"
bash -c "$next" >/dev/null 2>&1 && echo "it starts"
drawhitch -C 'a project' pull b9 2>&1 | grep ^next || true
ssh-keygen -q -t ed25519 -N '' -f keys/k && chmod 644 keys/k
drawhitch -C 'a project' adopt b2 ssh -p 1 -i ../keys/k root@127.0.0.1 2>&1 | grep ^next | sed "s,$SCRATCH,SCRATCH,g" || true
next=$(drawhitch adopt b2 ssh -p 1 -i ./keys/k root@127.0.0.1 2>&1 | sed -n "s/^next: //p") || true
bash -c "$next" && stat -c %a keys/k
