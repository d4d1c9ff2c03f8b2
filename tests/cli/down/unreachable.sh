# A box that does not answer keeps the gate closed: silence proves nothing. Both ways on are told, and no name is called
# wrong.
. "$CLI_TESTS/rented.sh.inc"
rent_here
python3 - <<'END'
import os, sqlite3
ledger = sqlite3.connect(os.environ["XDG_STATE_HOME"] + "/drawhitch/ledger.db")
ledger.execute("UPDATE leases SET transport = 'ssh', host = '127.0.0.1', port = 1, user = 'root'")
ledger.execute("INSERT INTO host_keys (lease, type, blob, fingerprint, source, seen_ns, reason)"
               " VALUES (1, 'ssh-ed25519', x'00', 'SHA256:x', 'asked', 0, '')")
ledger.commit()
END
code=0
drawhitch down b1 --yes --json >answer 2>/dev/null || code=$?
echo "exit $code"
field '[r["id"] for r in j["data"]["gate"]["reasons"]]' <answer
field '[w["command"] for w in j["data"]["gate"]["reasons"][0]["ways"]]' <answer
{ drawhitch down b1 --lose /home/sshd 2>/dev/null || :; } | sed -n '/closed/,$p'
{ drawhitch doctor b1 2>&1 >/dev/null || :; } | grep -E 'lease close|^next'
# A name that cannot exist, of which no name server has to be asked, is no port that moved.
python3 - <<'END'
import os, sqlite3
ledger = sqlite3.connect(os.environ["XDG_STATE_HOME"] + "/drawhitch/ledger.db")
ledger.execute("UPDATE leases SET host = 'box..gone'")
ledger.commit()
END
{ drawhitch doctor b1 2>&1 >/dev/null || :; } | grep -E '^(error|next)' | sed 's/: the name.*/: …/'
