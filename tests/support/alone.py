#!/usr/bin/env python3
"""Runs a test with processes of its own: what else works on this machine is not taken for something on the test's box,
and whatever the test leaves behind ends with it.

usage: alone.py PROGRAM ARGUMENTS…

Where the kernel gives no leave (not root, a container with few rights) the program simply runs.
"""
import json
import os
import subprocess
import sys

ALONE = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc"]


def run_alone(arguments):
    # Process 1 has an empty environment, like a machine's: what a login lacks of it is told to users.
    reader, writer = os.pipe()
    with os.fdopen(writer, "w") as pipe:
        json.dump(dict(os.environ), pipe)  # a pipe holds 64 KiB
    os.set_inheritable(reader, True)
    path = os.environ.get("PATH", os.defpath)
    program = [sys.executable, os.path.abspath(__file__), "--inside", str(reader), *arguments]
    os.execvpe(ALONE[0], [*ALONE, "env", "-i", *program], {"PATH": path})


def run_inside(environment, arguments):
    # A server of tmux that another test has started lives among that one's processes; a helper that somebody has left in
    # the shared memory would be found instead of installed.
    sockets = f"/tmp/tmux-{os.getuid()}"
    os.makedirs(sockets, mode=0o700, exist_ok=True)
    for place, mode in ((sockets, 700), ("/dev/shm", 1777)):
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"mode={mode}", "tmpfs", place], env=environment, check=True)
    child = subprocess.Popen(arguments, env=environment)
    while True:
        pid, status = os.wait()  # orphans, too
        if pid == child.pid:
            break
    for number in filter(str.isdigit, os.listdir("/proc")):
        if number == "1":
            continue
        try:
            with open(f"/proc/{number}/cmdline", "rb") as file:
                words = file.read().replace(b"\0", b" ").decode(errors="replace").strip()
        except OSError:
            continue
        if words:
            print(f"alone: left behind: {words}", file=sys.stderr)
    code = os.waitstatus_to_exitcode(status)
    sys.exit(code if code >= 0 else 128 - code)


if sys.argv[1] == "--inside":
    with os.fdopen(int(sys.argv[2])) as given:
        run_inside(json.load(given), sys.argv[3:])
elif os.getuid() == 0 and subprocess.run([*ALONE, "true"], capture_output=True).returncode == 0:
    run_alone(sys.argv[1:])
else:
    os.execvp(sys.argv[1], sys.argv[1:])
