#!/usr/bin/env python3
"""Runs the command-line cases: tests/cli/COMMAND/CASE.sh with expectation files beside it (tests/README.md).

usage: run.py --program BUILD/drawhitch [--accept] [--jobs N] [--keep] [--dir DIR] [COMMAND[/CASE] ...]

Exit code 0 when all cases pass, 1 when one fails, 77 when none ran (a failure, too). With DRAWHITCH_NO_SKIPS in the
environment a case that lacks something fails; one that needs root is skipped all the same.
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SECONDS = 400  # under a sanitizer, on two busy cores
SKIPPED = 77
NEEDS_ROOT = 78
KINDS = ("exact", "glob", "ignore")


def matches_glob(wanted, got):
    """Lines are compared one by one: '*' stands for anything within a line, a line '...' for any number of lines."""
    def line_matches(pattern, line):
        return re.fullmatch(".*".join(re.escape(part) for part in pattern.split("*")), line, re.S) is not None

    rows = {0}  # how many lines of `got` may be used up by the patterns so far
    for pattern in wanted:
        if pattern == "...":
            rows = set(range(min(rows), len(got) + 1)) if rows else set()
        else:
            rows = {at + 1 for at in rows if at < len(got) and line_matches(pattern, got[at])}
    return len(got) in rows


def environment(scratch, program):
    """Nothing of the caller's but the search path: a case sees an empty home and says what else it needs."""
    return {
        "PATH": f"{program.parent}:{os.environ['PATH']}", "HOME": f"{scratch}/home", "LANG": "C.UTF-8", "TERM": "dumb",
        "XDG_CONFIG_HOME": f"{scratch}/config", "XDG_STATE_HOME": f"{scratch}/state",
        "XDG_CACHE_HOME": f"{scratch}/cache", "TMPDIR": f"{scratch}/tmp", "TMUX_TMPDIR": f"{scratch}/tmp", "SCRATCH": str(scratch),
        "CLI_TESTS": str(HERE), "BUILD_DIR": str(program.parent), "SOURCE_DIR": str(HERE.parent.parent),
    }


def run_script(script, scratch, program):
    """(exit code, stdout, stderr) of one case; everything it started is gone afterwards."""
    for name in ("home", "config", "state", "cache", "tmp", "work"):
        (scratch / name).mkdir(mode=0o700)
    command = ["bash", "-eu", "-o", "pipefail", str(script)]
    with subprocess.Popen(command, cwd=scratch / "work", env=environment(scratch, program), stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True) as process:
        try:
            out, err = process.communicate(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            out, err = process.communicate()
            return -1, out, err + f"\n(killed after {SECONDS} s)\n".encode()
        finally:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
    return process.returncode, out, err


def readable(raw, scratch):
    """Output as text: the scratch directory by name, bytes that are not UTF-8 as escapes."""
    return raw.decode("utf-8", "backslashreplace").replace(str(scratch), "$SCRATCH")


def check_stream(script, name, got, accept):
    """Complaints about one stream. Without an expectation file it must be empty."""
    files = {kind: script.with_suffix(f".{name}.{kind}") for kind in KINDS}
    present = [kind for kind in KINDS if files[kind].exists()]
    if len(present) > 1:
        return [f"{name}: more than one expectation file"]
    kind = present[0] if present else None
    if kind == "ignore":
        return []
    if kind == "glob" and matches_glob(files[kind].read_text().splitlines(), got.splitlines()):
        return []
    wanted = files[kind].read_text() if kind else ""
    if kind != "glob" and got == wanted:
        return []
    if accept and kind != "glob":
        if got:
            files["exact"].write_text(got)
        else:
            files["exact"].unlink(missing_ok=True)
        return []
    shown = "\n".join(f"    - {line}" for line in wanted.splitlines())
    shown += "\n" + "\n".join(f"    + {line}" for line in got.splitlines())
    return [f"{name} differs ({kind or 'wanted empty'}):\n{shown}"]


def check_exit(script, got, accept):
    """Complaints about the exit code. Without an expectation file it must be 0."""
    file = script.with_suffix(".exit")
    wanted = int(file.read_text()) if file.exists() else 0
    if got == wanted:
        return []
    if accept:
        if got:
            file.write_text(f"{got}\n")
        else:
            file.unlink()
        return []
    return [f"exit code {got}, wanted {wanted}"]


def run_case(script, options):
    """(status, text) of one case; status is pass, fail or skip."""
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="drawhitch-cli-")).resolve()
    try:
        code, out, err = run_script(script, scratch, options.program)
        why = readable(err, scratch).strip()
        if code == SKIPPED and os.environ.get("DRAWHITCH_NO_SKIPS"):
            return "fail", f"skipped, and DRAWHITCH_NO_SKIPS is set; {why}"
        if code == SKIPPED or (code == NEEDS_ROOT and os.geteuid() != 0):
            return "skip", why
        accept = options.accept and code >= 0  # what was killed showed nothing worth keeping
        complaints = check_exit(script, code, accept)
        complaints += check_stream(script, "stdout", readable(out, scratch), accept)
        complaints += check_stream(script, "stderr", readable(err, scratch), accept)
        return ("fail", "\n".join(complaints)) if complaints else ("pass", "")
    finally:
        if options.keep:
            print(f"kept {scratch} of {script.name}")
        else:
            # A case may have taken its own permissions away.
            subprocess.run(["chmod", "-R", "u+rwx", str(scratch)], check=False, stderr=subprocess.DEVNULL)
            shutil.rmtree(scratch, ignore_errors=True)


def orphans(folder):
    """Expectation files whose script is gone: they would look like tests and check nothing."""
    found = []
    for file in folder.glob("*/*"):
        if re.search(r"\.(stdout|stderr)\.(exact|glob|ignore)$|\.exit$", file.name):
            stem = re.sub(r"\.(stdout\.\w+|stderr\.\w+|exit)$", "", file.name)
            if not (file.parent / f"{stem}.sh").exists():
                found.append(file)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--program", type=pathlib.Path, required=True)
    parser.add_argument("--accept", action="store_true", help="write what was seen into the expectation files")
    parser.add_argument("--jobs", type=int, default=3 * os.cpu_count(), help="most cases wait most of the time")
    parser.add_argument("--keep", action="store_true", help="leave the scratch directories behind")
    parser.add_argument("--dir", type=pathlib.Path, default=HERE, help="where the cases lie")
    parser.add_argument("cases", nargs="*")
    options = parser.parse_args()
    options.program = options.program.resolve(strict=True)
    scripts = sorted(options.dir.glob("*/*.sh"))
    if options.cases:
        wanted = [case.removesuffix(".sh").rstrip("/") for case in options.cases]
        scripts = [s for s in scripts if s.parent.name in wanted or f"{s.parent.name}/{s.stem}" in wanted]
    if not scripts:
        print("no such case", file=sys.stderr)
        return SKIPPED
    failed = [f"{file}: an expectation without a script" for file in orphans(options.dir)]
    skipped = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for script, (status, text) in zip(scripts, pool.map(lambda s: run_case(s, options), scripts)):
            name = f"{script.parent.name}/{script.stem}"
            if status == "fail":
                failed.append(f"FAIL {name}\n{text}")
            elif status == "skip":
                skipped += 1
                print(f"skip {name}: {text}")
    for text in failed:
        print(text)
    print(f"{len(scripts)} cases, {len(failed)} failed, {skipped} skipped")
    return 1 if failed else SKIPPED if skipped == len(scripts) else 0


if __name__ == "__main__":
    sys.exit(main())
