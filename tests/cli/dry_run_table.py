#!/usr/bin/env python3
"""Types every command of the registry with -n and compares all there is before and after: the laptop's files, the
box's files, and every row of the ledger. A command without a line in LINES is a failure, too: it must be decided what
its dry run is.

usage: dry_run_table.py COMMAND_LIST   (the text of `drawhitch help`)
"""
import hashlib
import os
import pathlib
import re
import sqlite3
import subprocess
import sys

SCRATCH = pathlib.Path(os.environ["SCRATCH"])
DATA = SCRATCH / "data"

# What is typed behind the command; several lines where it has several ways to change something.
LINES = {
    "adopt": [["b9", "local", "--data-dir", f"{SCRATCH}/data9"]],
    "doctor": [["b1"]],
    "run": [["b1", "--name", "new", "--", "touch", f"{SCRATCH}/work/made"],
            ["b1", "--no-push", "--name", "new", "--", "true"]],
    "ps": [["b1"]],
    "watch": [["b1", "done"]],
    "logs": [["b1", "done"]],
    "stop-run": [["b1", "going"], ["b1", "going", "--strays"]],
    "push": [["b1"]],
    "pull": [["b1", "done"], ["b1", "done", "--to", f"{SCRATCH}/work/elsewhere"], ["b1", "done", "--out", "*.txt"]],
    "down": [["b1"], ["b1", "--yes"]],
    "exec": [["b1", "--", "touch", f"{SCRATCH}/work/made"]],
    "ssh": [["b1", "--", "touch", f"{SCRATCH}/work/made"]],
    "ls": [[]],
    "show": [["b1"]],
    "verify": [["b1", "kept"]],
    "cp": [["train.py", f"b1:{SCRATCH}/box_side/"], ["tree", f"b1:{SCRATCH}/box_side/"],
           ["-y", "tree", f"b1:{SCRATCH}/box_side/new/deep/"], [f"b1:{SCRATCH}/box_side/train.py", "."],
           ["-y", f"b1:{SCRATCH}/box_side/train.py", "."], [f"b1:{SCRATCH}/box_side", "new/deep"]],
    "du": [["b1", f"{SCRATCH}/box_side"]],
    "profile ls": [[]],
    "profile show": [["generic-ssh"]],
    "profile check": [[]],
    "lease ls": [[]],
    "lease show": [["b1"]],
    "lease close": [["b2", "--yes"]],
    "lease export": [["b1"]],
    "trust": [[]],
    "config path": [[]],
    "config get": [[]],
    "config set": [["color", "never"]],
    "completion": [["bash"]],
    "demo": [[]],
    "version": [[]],
    "help": [[]],
}
# Every look at a box notes when it answered last: that is what was seen, and nothing that was done.
SEEN = {("leases", "last_contact_ns")}
# The names that a closed gate told, so that typing them later is no slip of the pen: seen as well.
TOLD = ("notes", "down.named")
# Digests of what was read anew; may be removed at any time.
CACHES = {SCRATCH / "home/.cache/drawhitch"}


def files():
    found = {}
    for root in ("work", "home", "config", "data", "data9", "box_side"):
        for directory, names, plain in os.walk(SCRATCH / root):
            if pathlib.Path(directory) in CACHES:
                continue
            for name in names + plain:
                path = pathlib.Path(directory, name)
                state = path.lstat()
                content = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
                # A directory's size is its file system's affair; what is in it is looked at by itself.
                size = 0 if path.is_dir() else state.st_size
                found[str(path)] = (state.st_mode, state.st_ino, size, content)
    return found


def ledger():
    found = {}
    with sqlite3.connect(f"file:{SCRATCH}/state/drawhitch/ledger.db?mode=ro", uri=True) as base:
        for (table,) in base.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
            rows = base.execute(f'SELECT * FROM "{table}"')
            columns = [column[0] for column in rows.description]
            kept = [row for row in rows.fetchall() if TOLD != (table, dict(zip(columns, row)).get("key"))]
            for number, row in enumerate(kept):
                for column, value in zip(columns, row):
                    if (table, column) not in SEEN:
                        found[f"ledger: {table} {number} {column}"] = value
    return found


def changes(before, after):
    for name in sorted(before.keys() | after.keys()):
        if before.get(name) != after.get(name):
            yield f"{name}: {before.get(name, 'nothing')} is now {after.get(name, 'nothing')}"


def commands(text):
    topics = re.search(r"^Topics|^Help", text, re.M)
    return re.findall(r"^  ([a-z-]+(?: [a-z-]+)?)  +\S", text[:topics.start()] if topics else text, re.M)


def check(command, words, environment):
    before = files() | ledger()
    typed = ["drawhitch", *command.split(), *words]
    ended = subprocess.run(typed, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                           env={**os.environ, **environment}, timeout=120, check=False)
    found = list(changes(before, files() | ledger()))
    if ended.returncode not in (0, 3, 4):
        found.append(f"exit {ended.returncode}: {ended.stdout.decode()[-400:]}")
    for line in found:
        print(f"{' '.join(typed)}: {line}")
    return not found


def main():
    listed = commands(sys.stdin.read())
    good = len(listed) > 25
    for command in listed:
        if command not in LINES:
            print(f"{command}: no line says what its dry run is typed like")
            good = False
        for words in LINES.get(command, []):
            # logs has -n for its lines; the long name is everybody's.
            good &= check(command, ["--dry-run", *words], {})
            good &= check(command, words, {"DRAWHITCH_DRY_RUN": "1"})
    print("nothing changed" if good else "FAILED")
    return 0


if __name__ == "__main__":
    sys.exit(main())
