# A key's passphrase is asked on the terminal once for a whole push, and once for a run, which connects anew to confirm its
# job; where nobody can be asked it is an error at once.
. "$CLI_TESTS/sshd.sh.inc"
ssh-keygen -q -t ed25519 -N secret -a 4 -C client -f "$SSHD/key"
start_sshd
for i in $(seq 40); do head -c 200000 /dev/urandom >"part$i.bin"; done
echo 'print(1)' >train.py
on_terminal() { "$CLI_TESTS/with_terminal.py" --columns 300 --type 'secret\n' --after 'Passphrase of ' "$@" 2>&1; }
passwords() { grep -o 'Passphrase of [^:]*:\|That was not it' | sed "s|$SSHD|SSHD|" || :; }
line=(b1 ssh -p "$port" -i "$SSHD/key" "$login@127.0.0.1" --data-dir "$SCRATCH/data" --accept-host-key "$fingerprint")
echo "== nobody there"
drawhitch adopt "${line[@]}" 2>&1 | anonymous | grep -v '^host key' || echo "exit ${PIPESTATUS[0]}"
echo "== adopt"
on_terminal drawhitch adopt "${line[@]}" >adopted || { cat adopted; exit 1; }
passwords <adopted
grep -c secret adopted || :
echo "== push"
on_terminal drawhitch push b1 >pushed || { cat pushed; exit 1; }
passwords <pushed
grep -c secret pushed || :
cmp part7.bin "$SCRATCH"/data/drawhitch/work/latest/part7.bin
echo "== run"
before=$(grep -c 'Accepted publickey' "$SSHD/log")
on_terminal drawhitch run b1 --no-outputs -- true >ran || { cat ran; exit 1; }
passwords <ran
[ $(($(grep -c 'Accepted publickey' "$SSHD/log") - before)) -ge 2 ] && echo "several logins"
echo "== nobody there, or nobody may be asked"
drawhitch push b1 2>&1 | grep -E '^(error|why|next)' || echo "exit ${PIPESTATUS[0]}"
on_terminal drawhitch --no-input push b1 | grep -E '^(error|why|next)' || echo "exit ${PIPESTATUS[0]}"
