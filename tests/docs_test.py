#!/usr/bin/env python3
"""Runs the commands that README.md and docs/*.md state, and compares what they say is shown (tests/README.md).

usage: docs_test.py --program BUILD/drawhitch [--root DIR] [FILE.md ...]

A fenced block is run when the line before it (blank lines apart) is a marker:

  <!-- run -->          every command must end with exit code 0
  <!-- run exit=4 -->   the block must end with that code

In a ```console block a line "$ COMMAND" is run (a trailing backslash continues it) and the lines up to the next command
are what it shows, standard error included: "…" stands for anything within a line, and a line "…" for any number of
lines. A ```sh block is run as it is. A comment that begins with "<!-- run-first" is run, too, and not shown to readers:
it prepares what the next blocks need. Blocks of one file run in order, each in its own bash, in one scratch directory.
Every fenced block is run, but for those of NOT_RUN, the one table of exceptions, each with its reason, and for blocks
that hold no command: data (json, toml …), and drawings, which have no kind. An exception that meets no block is an
error, and so is a drawing with a command in it. Commands in the prose (`drawhitch VERB …`) must name a verb.
Links to other files must lead to one, and their anchors to a heading there.
"""
import argparse
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "cli"))
from run import environment, matches_glob  # noqa: E402  the path must be set first

SECONDS = 300
# (document, first line of the block): why no test of the documents runs it.
NOT_RUN = {
    ("README.md", "scripts/demo"): "installs packages and builds; CI runs both, and this test is a part of scripts/test",
    ("README.md", "drawhitch adopt b1 ssh"): "needs a rented machine; adopting over SSH is tested on a private sshd (tests/cli/adopt/host_key_asked.sh)",
    ("README.md", "$ drawhitch push demo-box"): "is what scripts/demo shows, which tests/integration/demo_test.sh runs and checks",
    ("docs/building.md", "scripts/setup"): "installs packages and builds; CI runs both",
    ("docs/ledger.md", "sqlite3 -readonly"): "needs the sqlite3 program, which nothing here installs",
}
DATA = ("json", "toml", "c", "cpp", "python", "ini")  # kinds of blocks that hold no command
COMMAND = re.compile(r"(?:\$ |drawhitch |(?:\./)?scripts/\w|sudo |python3 |ctest |cmake |sqlite3 )")
LINK = re.compile(r"\[[^\]\n]*\]\(([^)\s]+)\)")
MARKER = re.compile(r"<!-- run(?: exit=(\d+))? -->")


class Block:
    """One thing to run: its first line in the file, its kind (console, sh, first), lines and exit code."""

    def __init__(self, line, kind, lines, code):
        self.line, self.kind, self.lines, self.code = line, kind, lines, code


def not_run(name, kind, lines):
    """What is wrong about a block that is not run, or nothing; and the exception that lets it be."""
    first = next((line for line in lines if line.strip()), "")
    for key in NOT_RUN:
        if key[0] == name and first.startswith(key[1]):
            return None, key
    if kind in DATA:
        return None, None
    if kind:
        return f"a block of kind \"{kind}\" is neither run nor an exception of docs_test.py", None
    if found := next((line for line in lines if COMMAND.match(line.strip())), None):
        return f"a drawing holds a command, which nothing runs: {found.strip()}", None
    return None, None


def blocks_of(text, name="", used=None):
    """(blocks to run, complaints about markers and blocks that nothing runs) of one document."""
    lines = text.splitlines()
    blocks, wrong = [], []
    used = set() if used is None else used
    at, pending = 0, None
    while at < len(lines):
        line = lines[at]
        marker = MARKER.fullmatch(line.strip())
        if marker:
            pending = (at + 1, int(marker[1] or 0))
        elif line.startswith("<!-- run-first"):
            end = next(i for i in range(at, len(lines)) if lines[i].rstrip().endswith("-->"))
            blocks.append(Block(at + 1, "first", lines[at + 1:end], 0))
            at = end
        elif line.startswith("```"):
            end = next((i for i in range(at + 1, len(lines)) if lines[i].startswith("```")), len(lines))
            kind = line[3:].strip()
            if pending and kind in ("console", "sh"):
                blocks.append(Block(at + 1, kind, lines[at + 1:end], pending[1]))
            elif pending:
                wrong.append(f"line {at + 1}: a block of kind \"{kind}\" cannot be run")
            else:
                complaint, key = not_run(name, kind, lines[at + 1:end])
                used.add(key)
                if complaint:
                    wrong.append(f"line {at + 1}: {complaint}")
            pending, at = None, end
        elif line.strip() and pending:
            wrong.append(f"line {pending[0]}: the marker is not followed by a block")
            pending = None
        elif line.strip().startswith("<!-- run"):
            wrong.append(f"line {at + 1}: not a marker: {line.strip()}")
        at += 1
    if pending:
        wrong.append(f"line {pending[0]}: the marker is not followed by a block")
    return blocks, wrong


def anchors_of(text):
    """The anchors of a document's headings, as code forges make them."""
    found = set()
    for line in without_blocks(text).splitlines():
        if heading := re.match(r"#+ +(.*)", line):
            found.add(re.sub(r"[^\w\- ]", "", heading[1].strip().lower()).replace(" ", "-"))
    return found


def without_blocks(text):
    """The prose of a document: no fenced blocks, no code spans."""
    return re.sub(r"`[^`\n]*`", "", re.sub(r"^```.*?^```", "", text, flags=re.S | re.M))


def dead_links(path):
    """Complaints about links of one document to files that are not there; those to the web are left alone."""
    wrong = []
    for target in LINK.findall(without_blocks(path.read_text(encoding="utf-8"))):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        file = (path.parent / name) if name else path
        if not file.exists():
            wrong.append(f"{path}: a link leads nowhere: {target}")
        elif anchor and file.suffix == ".md" and anchor not in anchors_of(file.read_text(encoding="utf-8")):
            wrong.append(f"{path}: there is no such heading: {target}")
    return wrong


def steps_of(block):
    """[(command, shown lines or None)] of one block; None: nothing is compared."""
    if block.kind != "console":
        return [("\n".join(block.lines), None)]
    steps = []
    lines = iter(block.lines)
    for line in lines:
        if line.startswith("$ "):
            command = line[2:]
            while command.endswith("\\"):
                command = command[:-1] + next(lines, "").removeprefix("> ").lstrip()
            steps.append((command, []))
        elif steps:
            steps[-1][1].append(line)
    return steps


def run_block(block, scratch, variables):
    """Complaints about one block."""
    steps = steps_of(block)
    if not steps:
        return ["it holds no command"]
    wrong = []
    for number, (command, shown) in enumerate(steps, 1):
        # The next block starts where this one ended: a reader has one shell, too.
        state = shlex.quote(f"{scratch}/.directory")
        script = f"cd \"$(cat {state})\"\ntrap 'pwd > {state}' EXIT\nset -eu\n{command}\n"
        done = subprocess.run(["bash", "-c", script], env=variables, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=SECONDS, check=False, start_new_session=True)
        got = done.stdout.decode("utf-8", "backslashreplace").splitlines()
        wanted_code = block.code if number == len(steps) else 0
        if done.returncode != wanted_code:
            wrong.append(f"$ {command}\n  exit code {done.returncode}, wanted {wanted_code}")
            wrong += [f"    | {line}" for line in got]
        elif shown is not None and not matches(shown, got):
            wrong.append(f"$ {command}\n  shows something else:")
            wrong += [f"    - {line}" for line in shown] + [f"    + {line}" for line in got]
    return wrong


def matches(shown, got):
    """The wildcard of documents is "…", because "*" is too common in what commands print."""
    star, dots = "\x01", "\x02"
    hide = [line.replace("*", star) for line in got]
    wanted = []
    for line in shown:
        wanted.append("..." if line.strip() == "…" else line.replace("*", star).replace("...", dots).replace("…", "*"))
    return matches_glob(wanted, [line.replace("...", dots) for line in hide])


def unknown_verbs(path, program):
    """Complaints about commands in the prose that name no verb (or topic) of the program."""
    prose = re.sub(r"^```.*?^```", "", path.read_text(encoding="utf-8"), flags=re.S | re.M)
    wrong = []
    for span in sorted(set(re.findall(r"`drawhitch ([a-z][^`\n]*)`", prose))):
        words = [word for word in span.split() if word != "help"]
        topics = [word for word in words[:2] if re.fullmatch(r"[a-z][a-z-]*", word)]
        if not topics:
            continue
        asked = [[*topics], topics[:1]]  # a family's member, or a verb with an argument
        known = any(subprocess.run([program, "help", *topic], capture_output=True, check=False).returncode == 0 for topic in asked)
        if not known:
            wrong.append(f"{path}: there is no such command: drawhitch {span}")
    return wrong


def run_file(path, program, root, used):
    """(blocks run, complaints) of one document."""
    name = path.resolve().relative_to(root).as_posix() if path.resolve().is_relative_to(root) else path.name
    blocks, wrong = blocks_of(path.read_text(encoding="utf-8"), name, used)
    wrong = [f"{path}: {text}" for text in wrong] + dead_links(path) + unknown_verbs(path, program)
    with tempfile.TemporaryDirectory(prefix="drawhitch-docs-") as folder:
        scratch = pathlib.Path(folder).resolve()
        for name in ("home", "config", "state", "cache", "tmp", "work"):
            (scratch / name).mkdir(mode=0o700)
        (scratch / ".directory").write_text(f"{scratch}/work\n")
        for block in blocks:
            try:
                complaints = run_block(block, scratch, environment(scratch, program))
            except subprocess.TimeoutExpired as problem:
                complaints = [f"ran longer than {problem.timeout:.0f} s"]
            if complaints:
                wrong.append(f"{path}:{block.line}: " + "\n".join(complaints))
    return len(blocks), wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--program", type=pathlib.Path, required=True)
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    options = parser.parse_args()
    program = options.program.resolve(strict=True)
    files = options.files or [*sorted(options.root.glob("*.md")), *sorted((options.root / "docs").glob("**/*.md"))]
    ran, wrong, used = 0, [], set()
    for path in files:
        count, complaints = run_file(path, program, options.root.resolve(), used)
        ran += count
        wrong += complaints
    if not options.files:
        wrong += [f"docs_test.py: the exception meets no block: {key[0]}: {key[1]}" for key in NOT_RUN if key not in used]
    for text in wrong:
        print(text)
    print(f"{ran} blocks in {len(files)} documents, {len(wrong)} complaints")
    if ran == 0:
        print("no block is marked to be run")
    return 1 if wrong or ran == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
