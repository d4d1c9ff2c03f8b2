#!/usr/bin/env python3
"""Checks who may include whom (docs/CONTRIBUTING.md, "Rooms"). usage: check_layers.py [ROOT]

Prints one line per violation and exits 1 if there is any. scripts/checks_test.py proves that each rule bites.
"""
import pathlib
import re
import sys

CORE = ["core/model", "core/config", "core/parse", "core/judge", "core/plan", "core/proto", "core/codec", "core/exchange"]
IO = ["io/transport", "io/agent", "io/http", "io/provider", "io/ledger", "io/disk", "io/term",
      "io/demo"]

# Room -> rooms whose headers it may include, beside its own.
ROOMS = {
    "base": [],
    "core/model": ["base"],
    "core/config": ["base", "core/model", "core/parse"],
    "core/parse": ["base", "core/model"],
    "core/judge": ["base", "core/model"],
    "core/plan": ["base", "core/model", "core/judge", "core/proto"],
    "core/proto": ["base"],
    "core/codec": ["base", "core/proto"],
    "core/exchange": ["base", "core/model"],
    "io/transport": ["base", "core/model", "core/proto"],
    "io/agent": ["base", "core/model", "core/proto", "core/codec", "io/transport"],
    "io/http": ["base", "core/model"],
    "io/provider": ["base", "core/model", "core/exchange", "io/http"],
    "io/ledger": ["base", "core/model", "io/disk"],
    "io/disk": ["base", "core/model", "core/proto"],
    "io/term": ["base", "core/model"],
    "io/demo": ["base"],
    "flow": ["base", *CORE, *IO],
    "cli": ["base", *CORE, *IO, "flow"],
    "helper": ["base", "core/proto", "core/codec"],
    "main": ["cli"],
}

# What a pure room may not touch: descriptors, clocks, threads, the environment, files.
IMPURE = re.compile(
    r"unistd\.h|fcntl\.h|poll\.h|pthread\.h|signal\.h|csignal|dirent\.h|termios\.h|time\.h|ctime|sys/.*|netinet/.*|arpa/.*"
    r"|net/.*|netdb\.h|thread|mutex|shared_mutex|condition_variable|future|atomic|stop_token|semaphore|fstream|iostream"
    r"|filesystem|cstdio|stdio\.h|curl/.*|libssh2.*|sqlite3\.h|spdlog/.*|CLI/.*")

# Heavy or dangerous libraries: the only files (by pattern) that may include them.
LIBRARIES = {
    r"CLI/.*": (r"cli/[^/]+\.cpp", 1),
    r"toml\+\+/.*|toml\.hpp": (r"core/config/[^/]+\.cpp", 1),
    r"spdlog/.*": (r"io/term/[^/]+\.cpp", 1),
    r"nlohmann/json\.hpp": (r".*\.cpp", 99),
    r"sqlite3\.h": (r"io/ledger/.*", 99),
    r"curl/.*": (r"io/http/.*\.cpp", 99),
    r"libssh2.*": (r"io/transport/.*", 99),
    r"nettle/.*": (r"core/proto/.*", 99),
    r"xxhash\.h": (r"core/proto/.*", 99),
    r"zstd.*\.h": (r"(core/codec|core/parse|io/agent)/.*\.cpp", 99),
    r"regex|iostream": (r"(?!)", 0),
    r"filesystem": (r".*\.cpp", 99),
}

# Time is injected: these calls stand in base/clock.cpp alone.
BARE_CLOCK = re.compile(
    r"(?:system|steady|high_resolution)_clock::now|\b(?:clock_gettime|gettimeofday|nanosleep|usleep|sleep_for|sleep_until)\s*\(|"
    r"(?<![\w:>.])(?:sleep|time)\s*\(\s*(?:\d|NULL|nullptr|&)")
SKIP = re.compile(r"\bSKIP\s*\(")
SHELL_SKIP = re.compile(r"\bexit 7[78]\b")
PURE_CALLS = re.compile(r"(?<![\w:>.])(?:std::)?(?:getenv|secure_getenv|setenv)\s*\(|_clock::now")

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def strip_comments(text):
    """Blanks comments and string contents, keeping line numbers."""
    pattern = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.S)
    return pattern.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)


def room_of(path):
    """The room of a path under src, such as core/proto/frame.hpp; None for a path outside all rooms."""
    if path == "main.cpp":
        return "main"
    matches = [room for room in ROOMS if path.startswith(room + "/")]
    return max(matches, key=len) if matches else None


def check_include(path, room, quote, target):
    """The complaint about one include line, or None."""
    if quote == '"':
        other = room_of(target)
        if other is None:
            return f'"{target}" is no path of a room (the include root is src)'
        if other != room and other not in ROOMS[room]:
            return f"{room} may not include {other}"
        return None
    if room.startswith("core/") and IMPURE.fullmatch(target):
        return f"<{target}> in a pure room"
    for library, (allowed, _) in LIBRARIES.items():
        if re.fullmatch(library, target) and not re.fullmatch(allowed, path):
            return f"<{target}> is not for this file"
    return None


def check_file(path, text, users):
    """All complaints about one file as (line, message); notes in `users` which file includes which library."""
    room = room_of(path)
    if room is None:
        return [(1, "this file lies in no room")]
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        include = INCLUDE.match(line)
        if include:
            complaint = check_include(path, room, *include.groups())
            if complaint:
                found.append((number, complaint))
            for library in LIBRARIES:
                if include[1] == "<" and re.fullmatch(library, include[2]):
                    users.setdefault(library, set()).add(path)
    for number, line in enumerate(strip_comments(text).splitlines(), 1):
        if path != "base/clock.cpp" and BARE_CLOCK.search(line):
            found.append((number, "bare clock or sleep; take the Clock that is passed in"))
        elif room.startswith("core/") and PURE_CALLS.search(line):
            found.append((number, "a pure room reads neither the environment nor a clock"))
    return found


def check_skips(root):
    """Complaints about tests that could be left out unseen: all skipping goes through tests/support/skip.cpp and tests/cli/skip.sh.inc."""
    tests, found = pathlib.Path(root) / "tests", []
    for file in sorted([*tests.rglob("*.hpp"), *tests.rglob("*.cpp"), *tests.rglob("*.sh"), *tests.rglob("*.inc")]):
        path = file.relative_to(tests).as_posix()
        if path in ("support/skip.cpp", "cli/skip.sh.inc"):
            continue
        shell = file.suffix in (".sh", ".inc")
        text = file.read_text(encoding="utf-8")
        pattern = SHELL_SKIP if shell else SKIP
        for number, line in enumerate((text if shell else strip_comments(text)).splitlines(), 1):
            if pattern.search(line):
                found.append(f"tests/{path}:{number}: skip through support/skip.hpp or cli/skip.sh.inc")
    return found


def check_tree(root):
    """All complaints about the tree as printable lines."""
    lines, users = check_skips(root), {}
    source = pathlib.Path(root) / "src"
    for file in sorted([*source.rglob("*.hpp"), *source.rglob("*.cpp")]):
        path = file.relative_to(source).as_posix()
        text = file.read_text(encoding="utf-8")
        lines += [f"src/{path}:{number}: {message}" for number, message in check_file(path, text, users)]
    for library, files in users.items():
        if len(files) > max(1, LIBRARIES[library][1]):
            lines.append(f"only one file may include <{library}>, not {', '.join(sorted(files))}")
    return lines


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent
    complaints = check_tree(root)
    print("\n".join(complaints) if complaints else "layers: clean")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
