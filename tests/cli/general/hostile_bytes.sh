# Names and texts that try to move the cursor, to rename the window or to turn text around: whatever prints them, none
# reaches the terminal, TSV or JSON as it is.
. "$CLI_TESTS/road.sh.inc"
cat > sweep.py <<'PY'
import json, os, subprocess, sys

ESCAPES = ["\x1b[35m", "\x1b]0;x\x07", "\x08", "\x7f", "\u009b", "\u202e", "\u2028"]
EVIL = b"e" + "".join(ESCAPES).encode() + b"\xffl"     # a name of bytes
TEXT = "e" + "".join(ESCAPES).replace("\x7f", "") + "l"  # the same as text
QUOTED = json.dumps(TEXT)                             # as a string of TOML
TERMINAL = os.environ["CLI_TESTS"] + "/with_terminal.py"
seen = 0


def bad(out):
    """What of the evil is in the output as it is."""
    found = [repr(mark) for mark in ESCAPES if mark.encode() in out]
    try:
        out.decode()
    except UnicodeDecodeError:
        found.append("bytes that are no text")
    return found


def run(words, raw=False, **more):
    """Runs one command in a pipe, with --json and on a terminal; raw: a pipe may get the bytes as they are."""
    global seen
    words = [word.encode() if isinstance(word, str) else word for word in words]
    at = words.index(b"--") if b"--" in words else len(words)
    as_json = words[:at] + [b"--json"] + words[at:]
    env = dict(os.environb, TERM=b"xterm-256color", **more)
    ways = {"pipe": words, "json": as_json, "terminal": words}
    for way, command in ways.items():
        full = [TERMINAL.encode(), b"--columns", b"300"] if way == "terminal" else []
        done = subprocess.run(full + [b"drawhitch"] + command, env=env, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, timeout=60)
        shown = done.stdout + done.stderr
        if raw and way == "pipe":
            shown = b"" if b"exec" in words else done.stderr
        if way == "json":
            json.loads(done.stdout)
        if faults := bad(shown):
            print(way, words[:3], faults, shown)
        if b"E-INTERNAL" in shown:
            print(way, words[:3], shown)
        seen += 1


def write(path, text):
    os.makedirs(os.path.dirname(path) or b".", exist_ok=True)
    with open(path, "wb") as file:
        file.write(text)


def words_of_the_line():
    for words in ([EVIL], ["help", EVIL], ["ls", EVIL], ["ls", b"--" + EVIL], ["--color", EVIL, "ls"], ["-C", EVIL, "ls"],
                  ["--config", EVIL, "ls"], ["--log-file", b"no/" + EVIL, "ls"], ["--timeout", EVIL, "ls"],
                  ["profile", EVIL], ["profile", "show", EVIL], ["profile", "check", EVIL + b".toml"],
                  ["config", "get", EVIL], ["config", "set", EVIL, EVIL], ["config", "set", "color", EVIL],
                  ["config", "set", "connection.poll_s", EVIL], ["config", "path", EVIL], ["completion", EVIL],
                  ["show", EVIL], ["doctor", EVIL], ["push", EVIL], ["down", EVIL], ["ps", "b1", EVIL],
                  ["logs", "b1", EVIL], ["pull", "b1", EVIL], ["stop-run", "b1", EVIL], ["verify", EVIL],
                  ["verify", "pulls/b1/r1", "--box", EVIL], ["cp", EVIL, b"b1:" + EVIL], ["cp", b"b1:" + EVIL, EVIL],
                  ["cp", EVIL, EVIL], ["exec", EVIL, "--", "true"], ["run", "b1", "--name", EVIL, "--", "true"],
                  ["run", EVIL, "--out", EVIL, "-n", "--", EVIL], ["lease", "show", EVIL], ["lease", "close", EVIL],
                  ["lease", "export", EVIL], ["adopt", EVIL, "local"], ["adopt", "b3", EVIL],
                  ["adopt", "b3", b"root@" + EVIL], ["adopt", "b3", "ssh", "-i", EVIL, "root@127.0.0.1"],
                  ["adopt", "b3", "ssh", "-p", "1", "-o", EVIL, "-L", EVIL, "root@127.0.0.1"],
                  ["adopt", "b3", "local", "--data-dir", EVIL], ["adopt", "b3", "local", "--data-dir", b"/" + EVIL],
                  ["adopt", "b3", "local", "--project", EVIL], ["adopt", "b3", "local", "--price-hour", EVIL],
                  ["adopt", "b3", "local", "--currency", EVIL], ["adopt", "b3", "local", "--profile", EVIL]):
        run(words)
    run(["run", "b1", "--out", EVIL, "-n", "--", EVIL], raw=True)
    for variable in (b"DRAWHITCH_COLOR", b"DRAWHITCH_JSON", b"DRAWHITCH_TIMEOUT", b"DRAWHITCH_CONFIG",
                     b"DRAWHITCH_DIRECTORY", b"DRAWHITCH_PROFILE", b"XDG_STATE_HOME", b"XDG_CONFIG_HOME", b"HOME"):
        value = os.environb[b"SCRATCH"] + b"/" + EVIL if variable in (b"HOME", b"XDG_STATE_HOME", b"XDG_CONFIG_HOME") else EVIL
        for words in (["ls"], ["config", "get"], ["doctor"], ["profile", "ls"]):
            run(words, **{variable.decode(): value})
        run(["config", "path"], raw=True, **{variable.decode(): value})


def files():
    config = os.environb[b"XDG_CONFIG_HOME"] + b"/drawhitch"
    for text in (f"color = {QUOTED}", f"{QUOTED} = 1", f"[connection]\ntransport = {QUOTED}", f"[{QUOTED}]\nx = 1", TEXT):
        write(config + b"/config.toml", text.encode())
        for words in (["ls"], ["config", "get"], ["config", "set", "color", "never"]):
            run(words)
    os.remove(config + b"/config.toml")
    shipped = subprocess.run(["drawhitch", "profile", "show", "generic-ssh", "--toml"], stdout=subprocess.PIPE,
                             check=True).stdout.decode()
    named = shipped.replace('"generic-ssh"', '"odd"')
    lines = named.splitlines()
    for number, line in enumerate(lines):
        key, equals, value = line.partition("=")
        if equals and value.strip().startswith('"') and key.strip() != "id":
            lines_now = lines[:number] + [f"{key}= {QUOTED}"] + lines[number + 1:]
            write(config + b"/profiles/odd.toml", "\n".join(lines_now).encode())
            run(["profile", "check", "odd"])
            run(["profile", "show", "odd"])
    run(["profile", "ls"])
    run(["profile", "show", "odd", "--toml"], raw=True)
    write(config + b"/profiles/odd.toml", TEXT.encode())
    for words in (["profile", "ls"], ["profile", "check"], ["profile", "show", "odd"]):
        run(words)
    run(["profile", "show", "odd", "--toml"], raw=True)
    os.remove(config + b"/profiles/odd.toml")
    write(config + b"/profiles/" + EVIL + b".toml", b"x")
    run(["profile", "ls"])


def project():
    keys = ["project = {}", "box = {}", "profile = {}", "persist = [{}]", "[out]\nmust = [{}]", "[push]\nexclude = [{}]",
            "[env]\nactivate = {}", "[env]\nsetup = {}", "[env]\nkey_files = [{}]", "[env]\nrecord = [{}]",
            "[env]\npass = [{}]", "[env.vars]\nX = {}", "[env.vars]\n{} = 'x'", "[links]\n{} = '/x'", "[links]\nx = {}",
            "[pull]\ndir = {}", "[pull]\nverify_cmd = [{}]", "[connection]\ntransport = {}", "{} = 1", "[{}]\nx = 1"]
    here = os.getcwdb() + b"/" + EVIL
    os.makedirs(here)
    write(here + b"/train.sh", b"x")
    write(here + b"/" + EVIL, b"x")
    write(here + b"/.env" + EVIL, b"PASSWORD=x")
    write(here + b"/d" + EVIL + b"/crlf.sh", b"#!/bin/sh\r\n")
    os.symlink(b"/nowhere/" + EVIL, here + b"/link" + EVIL)
    os.mkfifo(here + b"/fifo" + EVIL)
    back = os.getcwdb()
    os.chdir(here)
    for words in (["ls"], ["doctor", "b1"], ["config", "get"], ["trust"], ["push", "-n", "b1"], ["adopt", "b4", "local"]):
        run(words)
    for line in keys:
        write(here + b"/drawhitch.toml", line.format(QUOTED).encode())
        for words in (["config", "get"], ["trust", "--show"], ["trust", "--yes"], ["push", "-n", "b1"],
                      ["show"], ["pull", "b1", "r1", "-n"]):
            run(words)
        run(["config", "path", "project"], raw=True)
        run(["run", "b1", "-n", "--", "true"], raw=True)
    os.remove(here + b"/drawhitch.toml")
    run(["push", "b1"])
    run(["run", "b1", "--name", "r2", "--out", EVIL, "--out", b"**/" + EVIL + b"*", "--", "sh", "-c", "exit 3", EVIL])
    os.chdir(back)


def box():
    for words in (["ps", "b1"], ["ls"], ["show", "b1"], ["watch", "b1"], ["lease", "show", "b1"], ["lease", "ls"],
                  ["pull", "b1", "r1", "-n"], ["pull", "b1", "r1"], ["verify", "pulls/b1/r1"],
                  ["verify", "pulls/b1/r1", "--box", "b1"], ["down", "b1", "-n"], ["stop-run", "b1", "r1"], ["doctor", "b1"]):
        run(words)
    run(["logs", "b1", "r1"], raw=True)
    run(["lease", "export", "b1"], raw=True)
    run(["exec", "b1", "--", "printf", "%s", TEXT], raw=True)
    damaged = os.path.join(b"pulls/b1/r1", EVIL + b".bin")
    write(damaged, b"changed")
    run(["verify", "pulls/b1/r1"])
    run(["pull", "b1", "r1"])
    os.remove(damaged)
    os.mkdir(damaged)
    run(["verify", "pulls/b1/r1"])
    run(["pull", "b1", "r1"])
    run(["cp", b"b1:/" + EVIL, "here"])
    run(["exec", "b1", "--", EVIL], raw=True)  # a pipe gets what the command said, on both streams


box()
words_of_the_line()
files()
project()
print("swept" if seen > 800 else f"only {seen} runs")
PY
adopt_here
# The log, the metrics, the files and the command of a run, all hostile.
run_job r1 '**' python3 -c '
import os, sys
evil = sys.argv[1].encode("utf-8", "surrogateescape")
open(evil + b".bin", "w").write("weights")
os.mkdir(evil); open(evil + b"/" + evil, "w").write("more")
os.symlink(evil, b"link" + evil); os.mkfifo(b"fifo" + evil)
sys.stdout.buffer.write(b"step 1/3, loss " + evil + b"\n" + evil + b": step 2/3\n")
open("metrics.jsonl", "w").write("{\"step\": 1, \"loss\": \"\\u001b[35m\"}\n")
' "$(printf 'e\033[35m\033]0;x\007\010\177\302\233\342\200\256\342\200\250\377l')"
python3 sweep.py
