#!/usr/bin/env python3
"""Measures files and functions against the limits of docs/CONTRIBUTING.md. usage: check_sizes.py [ROOT]

Above the goal it warns; above the hard limit it fails (exit code 1). A function counts the lines of its body that
are no comment, blank, case label or table row, since a long table is easier to read than the same table in pieces.
"""
import pathlib
import re
import statistics
import sys

FILE_GOAL, FILE_LIMIT = 400, 600
FUNCTION_GOAL, FUNCTION_LIMIT = 40, 80
NESTING_LIMIT = 3

# A row: a case with its one-line answer, or an initialiser in braces, or a lone string or number of a list.
ROW = re.compile(r'^\s*(?:case\b.*|default:.*|\{.*\},?|(?:R?"[^"]*"|[\w.:\-]+)(?:\s*,\s*(?:"[^"]*"|[\w.:\-]+))*,|"[^"]*"[;)]*)\s*$')
CONTROL = re.compile(r"^(?:(?:if|for|while|switch|do|else|try|catch)\b|\)?\s*else\b)")
NOT_FUNCTION = re.compile(r"\b(?:namespace|class|struct|union|enum|if|for|while|switch|do|else|try|catch)\b|=\s*$|^\s*extern\b")


def strip(text):
    """Blanks comments, strings and character literals, keeping line numbers and the quotes."""
    pattern = re.compile(
        r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<![0-9A-Za-z_])\'(?:\\.|[^\'\\\n])+\'', re.S)

    def blank(match):
        text = match.group()
        if text.startswith("/"):
            return re.sub(r"[^\n]", " ", text)
        return '"' + re.sub(r"[^\n]", " ", text[1:-1]) + '"'

    return pattern.sub(blank, text)


def counted(lines):
    """How many lines of a body count."""
    case_before = False
    total = 0
    for line in lines:
        bare = line.strip()
        if not bare or bare.startswith("#") or ROW.match(line):
            case_before = bare.startswith("case ") and bare.endswith(":")
            continue
        if case_before and bare.startswith("return"):
            case_before = False
            continue
        total += 1
    return total


def functions(text):
    """Yields (name, first line, counted lines, levels of nested control flow) of each outermost function in the text."""
    clean = re.sub(r"(?m)^\s*#.*(?:\\\n.*)*$", lambda m: re.sub(r"[^\n]", " ", m.group()), strip(text))
    stack, head, deepest = [], "", 0
    lines, number = clean.splitlines(), 1
    for position, char in enumerate(clean):
        if char == "\n":
            number += 1
        if char == "{" and clean[position - 1 : position].isidentifier():
            stack.append(("value", head, number))  # member{value} in a constructor's list
        elif char == "}" and stack and stack[-1][0] == "value":
            head = stack.pop()[1]
        elif char == "{":
            inside = any(kind == "function" for kind, _, _ in stack)
            heading = " ".join(head.split())
            is_function = not inside and "(" in heading and not NOT_FUNCTION.search(heading.split("(")[0])
            kind = "function" if is_function else "control" if CONTROL.match(heading) else "other"
            stack.append((kind, heading, number))
            deepest = 0 if is_function else max(deepest, sum(kind == "control" for kind, _, _ in stack))
            head = ""
        elif char == "}":
            if stack:
                kind, heading, start = stack.pop()
                if kind == "function":
                    name = re.search(r"(operator\s*\S+?|[\w:~]+)\s*\(", heading)
                    yield (name[1] if name else heading), start, counted(lines[start : number - 1]), deepest
            head = ""
        elif char == ";":
            head = ""
        else:
            head += char


def measure(root):
    """Returns (warnings, failures, file sizes, function sizes) of the tree."""
    warnings, failures, files, sizes = [], [], [], []
    for folder in ("src", "tests"):
        base = pathlib.Path(root) / folder
        for file in sorted([*base.rglob("*.hpp"), *base.rglob("*.cpp")]):
            path = file.relative_to(root).as_posix()
            text = file.read_text(encoding="utf-8")
            length = text.count("\n")
            if length > FILE_GOAL:
                (failures if length > FILE_LIMIT else warnings).append(f"{path}: {length} lines (goal {FILE_GOAL})")
            if folder == "src":
                files.append(length)
            for name, line, size, depth in functions(text):
                if folder == "src":
                    sizes.append(size)
                elif name == "TEST_CASE" or name.startswith("SECTION"):
                    continue
                if depth > NESTING_LIMIT:
                    warnings.append(f"{path}:{line}: {name} nests {depth} levels of control flow (goal {NESTING_LIMIT})")
                if size > FUNCTION_GOAL:
                    report = failures if size > FUNCTION_LIMIT else warnings
                    report.append(f"{path}:{line}: {name} has {size} lines (goal {FUNCTION_GOAL})")
    return warnings, failures, files, sizes


def describe(values):
    if not values:
        return "none"
    values = sorted(values)
    return f"median {statistics.median(values):g}, p95 {values[int(len(values) * 0.95) - 1 if len(values) > 1 else 0]}, max {values[-1]}"


def main(arguments):
    root = pathlib.Path(arguments[0]) if arguments else pathlib.Path(__file__).resolve().parent.parent
    warnings, failures, files, sizes = measure(root)
    for line in warnings:
        print(f"note: {line}")
    for line in failures:
        print(f"error: {line}")
    print(f"sizes: files {describe(files)}; functions {describe(sizes)}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
