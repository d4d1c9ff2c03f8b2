# A first host key is asked about, and only the word yes lets anything be sent: nobody logs in otherwise, and nothing is
# kept. What was asked is told as the key's source.
. "$CLI_TESTS/sshd.sh.inc"
start_sshd
adopt() {
    "$CLI_TESTS/with_terminal.py" --columns 300 --type "$1" --after 'if it is the same: ' \
        drawhitch adopt b1 ssh -p "$port" -i "$SSHD/key" "$login@127.0.0.1" --data-dir "$SCRATCH/data" 2>&1
}
for answer in 'no\n' 'y\n' '\n' 'Yes\n' 'yes!\n' "$fingerprint"'\n' '\x04' '\x03'; do
    echo "== $(sed "s|$fingerprint|FINGERPRINT|" <<<"$answer")"
    { adopt "$answer" || echo "exit $?"; } | grep -E '^(error|next|exit)' | anonymous
done
drawhitch ls 2>&1 | head -n 1
grep -c Accepted "$SSHD/log" || :
echo "== yes"
adopt 'yes\n' | grep -E 'shows the host key|FINGERPRINT|SHA256|same|host key' | anonymous
grep -c 'Accepted publickey' "$SSHD/log" | sed 's/^[1-9][0-9]*$/logged in/'
echo "== kept"
drawhitch show b1 --json | python3 -c 'import json, sys; print(json.dumps(json.load(sys.stdin)["data"]).count("asked"))'
drawhitch exec b1 -- echo hello
