#!/usr/bin/env python3
"""Runs a command on a pseudo terminal of its own, types for it, and prints what the terminal showed.

usage: with_terminal.py [--columns N] [--type TEXT --after PROMPT] [--stdout FILE] COMMAND [ARG ...]

The exit code is the command's. TEXT is typed once PROMPT was shown; \\n, \\x03 and the like are understood. With --stdout
the command's standard output goes to FILE and only the rest to the terminal.
"""
import argparse
import fcntl
import os
import pty
import select
import struct
import sys
import termios

SECONDS = 60


def child(options):
    """Becomes the command, on the terminal that pty.fork made its controlling one."""
    if options.stdout:
        os.dup2(os.open(options.stdout, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), 1)
    try:
        os.execvp(options.command[0], options.command)
    except OSError as problem:
        os.write(2, f"{options.command[0]}: {problem}\n".encode())
        os._exit(127)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--columns", type=int, default=80)
    parser.add_argument("--type", default="")
    parser.add_argument("--after", default="")
    parser.add_argument("--stdout")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    read, write = os.pipe()  # holds the command back until the terminal has its size
    pid, terminal = pty.fork()
    if pid == 0:
        os.close(write)
        os.read(read, 1)
        os.close(read)
        child(options)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, options.columns, 0, 0))
    os.close(read)
    os.close(write)
    shown = b""
    text = options.type.encode().decode("unicode_escape").encode("latin-1")
    while True:
        ready, _, _ = select.select([terminal], [], [], SECONDS)
        try:
            piece = os.read(terminal, 65536) if ready else b""
        except OSError:  # the last descriptor of the other side was closed
            piece = b""
        if not piece:
            break
        shown += piece
        if text and options.after.encode() in shown:
            os.write(terminal, text)
            text = b""
    os.close(terminal)  # hangs up on a command that was silent for too long
    _, status = os.waitpid(pid, 0)
    sys.stdout.buffer.write(shown.replace(b"\r\n", b"\n"))
    sys.stdout.flush()
    return os.waitstatus_to_exitcode(status)


if __name__ == "__main__":
    sys.exit(main())
