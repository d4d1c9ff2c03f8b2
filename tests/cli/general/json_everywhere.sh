# Every verb, whether it goes well or not, ends with one object on standard output that says so.
. "$CLI_TESTS/road.sh.inc"
adopt_here
drawhitch push >/dev/null 2>&1
run_job r1 'out/**' sh -c 'mkdir out; echo 1 > out/a'
drawhitch pull b1 r1 >/dev/null 2>&1
printf x > file
cat > check.py <<'PY'
import json, subprocess, sys
KEYS = ["schema", "command", "data", "warnings", "next", "error", "ok", "exit"]
VERBS = {  # every verb: one call that works, one that does not
    "adopt": ["b2 local", "b9 ssh -p 1 root@127.0.0.1"], "doctor": ["b1", "nosuch"], "push": ["b1", "nosuch"],
    "run": ["b1 --no-outputs -- true", "nosuch -- true"], "ps": ["b1", "nosuch"],
    "watch": ["b1", "nosuch"], "logs": ["b1 r1", "b1 nosuch"], "stop-run": ["b1 r1 --yes", "b1 nosuch"],
    "pull": ["b1 r1", "b1 nosuch"], "down": ["b1 -n", "nosuch"], "exec": ["b1 -- true", "nosuch -- true"],
    "ssh": [None, "b1"], "ls": ["", "extra words"], "show": ["b1", "nosuch"], "verify": ["pulls/b1/r1", "nowhere"],
    "cp": ["file b1:copied", "file file"], "du": ["b1", "b1 /no/such/place"],
    "profile ls": ["", "extra"], "profile show": ["local", "nosuch"],
    "profile check": ["", "nosuch.toml"], "lease ls": ["", "extra"], "lease show": ["b1", "nosuch"],
    "lease export": ["b1", "nosuch"], "trust": ["--show", "extra"], "config path": ["ledger", "nosuch"],
    "config get": ["color", "nosuch"], "config set": ["color never", "nosuch 1"], "completion": ["bash", "nosuch"],
    "demo": [None, "extra"], "version": ["", "extra"], "help": ["pull", "nosuch"],
    "lease close": ["b2 --yes", "nosuch"],
}
LINES = ["", "nosuch", "--nosuch ls", "ls --nosuch", "profile", "profile nosuch", "up", "ls --timeout", "--color odd ls",
         "ls --timeout odd", "-C nowhere ls", "--config nowhere ls", "ls -- x"]


def call(words):
    done = subprocess.run(["drawhitch", *words], stdin=subprocess.DEVNULL, capture_output=True, check=False)
    return done.returncode, done.stdout, done.stderr


def complain(words, why):
    print(" ".join(words) + ": " + why)


def fits(envelope, words, code, good):
    if [key for key in envelope if key != "type"] != KEYS:
        return f"members {list(envelope)}"
    if envelope["exit"] != code or envelope["ok"] != (code == 0):
        return f"it says exit {envelope['exit']}, ok {envelope['ok']}; it was {code}"
    if good is not None and good != (envelope["error"] is None):
        return f"unexpected outcome {envelope['error']}"
    error = envelope["error"]
    if error is not None and (not envelope["next"] or set(error) != {"id", "message", "why", "context"}):
        return f"an error without a next command: {envelope}"
    return None


def check_json(line, good, command=None):
    words = line.split()
    at = words.index("--") if "--" in words else len(words)
    words = words[:at] + ["--json"] + words[at:]
    code, out, err = call(words)
    try:
        envelope = json.loads(out)
    except ValueError as problem:
        return complain(words, f"no JSON: {problem}: {out!r} {err!r}")
    if why := fits(envelope, words, code, good):
        return complain(words, why)
    if command is not None and envelope["command"] != command:
        complain(words, f"it names the command {envelope['command']}")


def check_jsonl(line, good):
    words = line.split()
    at = words.index("--") if "--" in words else len(words)
    words = words[:at] + ["--jsonl"] + words[at:]
    code, out, err = call(words)
    try:
        objects = [json.loads(part) for part in out.splitlines()]
    except ValueError as problem:
        return complain(words, f"no JSON: {problem}: {out!r} {err!r}")
    kinds = [entry.get("type") for entry in objects]
    if kinds[-1:] != ["result"] or set(kinds[:-1]) - {"row", "event"}:
        return complain(words, f"types {kinds}")
    if why := fits(objects[-1], words, code, good):
        complain(words, why)


listed = json.loads(call(["help", "--json"])[1])["data"]["text"]
for verb, (works, fails) in VERBS.items():
    if f"  {verb} " not in listed:
        print(f"there is no verb {verb}")
    for line, good in ((works, True), (fails, False)):
        if line is not None:
            check_json(f"{verb} {line}", good, verb)
            check_jsonl(f"{verb} {line}", good)
    check_json(f"{verb} --nosuch", False, verb)
for row in listed.split("\nTopics")[0].splitlines():
    if row.startswith("  ") and not any(row.startswith(f"  {verb} ") for verb in VERBS):
        print("not checked here: " + row)
for line in LINES:
    check_json(line, False)
    check_jsonl(line, False)
print(len(VERBS), "verbs")
PY
python3 check.py
