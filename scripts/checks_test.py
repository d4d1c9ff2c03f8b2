#!/usr/bin/env python3
"""Proves that the scripts bite: check_layers and check_sizes complain about what they forbid, and pass what they allow;
setup builds nothing from a source that is not the pinned one."""
import contextlib
import io
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import check_layers
import check_sizes


def tree(files):
    """A temporary project with these files: {path: text}."""
    folder = tempfile.TemporaryDirectory()
    for path, text in files.items():
        file = pathlib.Path(folder.name) / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return folder


class Layers(unittest.TestCase):
    def complaints_of(self, files):
        with tree(files) as root:
            return check_layers.check_tree(root)

    def one(self, path, text):
        return self.complaints_of({path: text})

    def test_each_direction_that_the_table_forbids_is_reported(self):
        for path, include in [
            ("src/base/a.cpp", "core/model/run.hpp"),
            ("src/core/judge/a.cpp", "core/plan/pull.hpp"),
            ("src/core/plan/a.cpp", "core/parse/df.hpp"),
            ("src/core/parse/a.cpp", "core/judge/gate.hpp"),
            ("src/core/model/a.hpp", "io/disk/scan.hpp"),
            ("src/io/agent/a.cpp", "core/judge/gate.hpp"),
            ("src/io/disk/a.cpp", "io/ledger/ledger.hpp"),
            ("src/io/term/a.cpp", "flow/pull.hpp"),
            ("src/flow/a.cpp", "cli/main.hpp"),
            ("src/helper/a.cpp", "io/disk/scan.hpp"),
            ("src/helper/a.cpp", "core/plan/pull.hpp"),
            ("src/main.cpp", "flow/pull.hpp"),
            ("src/flow/a.cpp", "a.hpp"),
        ]:
            with self.subTest(path=path, include=include):
                self.assertEqual(len(self.one(path, f'#include "{include}"\n')), 1)

    def test_a_test_that_skips_on_its_own_is_reported(self):
        for path, text in [("tests/unit/a_test.cpp", 'if (!here) SKIP("no fish");\n'), ("tests/cli/ls/a.sh", "here || exit 77\n"),
                           ("tests/cli/road.sh.inc", "here || exit 78\n")]:
            with self.subTest(path=path):
                self.assertEqual(len(self.one(path, text)), 1)
        for path, text in [("tests/support/skip.cpp", 'SKIP("no fish");\n'), ("tests/cli/skip.sh.inc", "exit 77\n"),
                           ("tests/unit/a_test.cpp", '// SKIP("no fish");\nsupport::skip_without("fish");\n')]:
            with self.subTest(path=path):
                self.assertEqual(self.one(path, text), [])

    def test_each_direction_that_the_table_allows_is_silent(self):
        for path, include in [
            ("src/main.cpp", "cli/main.hpp"),
            ("src/cli/a.cpp", "flow/pull.hpp"),
            ("src/flow/a.cpp", "io/disk/scan.hpp"),
            ("src/io/agent/a.cpp", "core/proto/frame.hpp"),
            ("src/core/plan/a.cpp", "core/judge/gate.hpp"),
            ("src/helper/a.cpp", "core/codec/zstd.hpp"),
        ]:
            with self.subTest(path=path, include=include):
                self.assertEqual(self.one(path, f'#include "{include}"\n'), [])

    def test_pure_rooms_have_no_system_headers_clocks_or_environment(self):
        for text in ["#include <unistd.h>", "#include <thread>", "#include <fstream>", "#include <sys/stat.h>",
                     "auto x = std::getenv(name);", "auto t = std::chrono::steady_clock::now();"]:
            with self.subTest(text=text):
                self.assertEqual(len(self.one("src/core/judge/a.cpp", text + "\n")), 1)
        self.assertEqual(self.one("src/core/judge/a.cpp", "#include <chrono>\n#include <string>\n"), [])

    def test_a_clock_stands_in_one_file(self):
        text = "timespec t{};\nclock_gettime(CLOCK_MONOTONIC, &t);\n"
        self.assertEqual(len(self.one("src/io/disk/a.cpp", text)), 1)
        self.assertEqual(self.one("src/base/clock.cpp", text), [])
        self.assertEqual(self.one("src/io/disk/a.cpp", "// never clock_gettime() here\nclock.sleep(op, wait);\n"), [])

    def test_heavy_libraries_stay_in_their_file(self):
        self.assertEqual(self.one("src/cli/parser.cpp", "#include <CLI/CLI.hpp>\n"), [])
        self.assertEqual(len(self.one("src/flow/a.cpp", "#include <CLI/CLI.hpp>\n")), 1)
        self.assertEqual(len(self.one("src/io/disk/a.cpp", "#include <sqlite3.h>\n")), 1)
        self.assertEqual(len(self.one("src/io/term/a.hpp", "#include <nlohmann/json.hpp>\n")), 1)
        self.assertEqual(len(self.one("src/io/term/a.cpp", "#include <regex>\n")), 1)
        two = self.complaints_of({f"src/cli/{n}.cpp": "#include <CLI/CLI.hpp>\n" for n in ("a", "b")})
        self.assertEqual(len(two), 1)
        self.assertIn("only one file", two[0])

    def test_a_file_outside_all_rooms_is_reported(self):
        self.assertEqual(len(self.one("src/util/a.cpp", "\n")), 1)


class Sizes(unittest.TestCase):
    def measure(self, text, path="src/flow/a.cpp"):
        with tree({path: text}) as root:
            return check_sizes.measure(root)

    def body(self, lines, name="work"):
        return f"void {name}(int x) {{\n" + "    x = next(x);\n" * lines + "}\n"

    def test_a_function_is_measured_by_its_body(self):
        self.assertEqual(list(check_sizes.functions(self.body(7))), [("work", 1, 7, 0)])

    def test_a_function_over_the_goal_warns_and_over_the_limit_fails(self):
        warnings, failures, _, _ = self.measure(self.body(41))
        self.assertEqual((len(warnings), len(failures)), (1, 0))
        warnings, failures, _, _ = self.measure(self.body(81))
        self.assertEqual((len(warnings), len(failures)), (0, 1))
        self.assertEqual(self.measure(self.body(40))[:2], ([], []))

    def test_what_is_over_a_hard_limit_ends_the_check_with_an_error(self):
        for text, code in [(self.body(81), 1), ("// x\n" * 601, 1), (self.body(41), 0), ("// x\n" * 401, 0)]:
            with tree({"src/a.cpp": text}) as root, contextlib.redirect_stdout(io.StringIO()):
                self.assertEqual(check_sizes.main([root]), code)

    def test_methods_in_a_class_are_seen_one_by_one(self):
        text = "namespace a {\nclass B : public C {\n  public:\n" + self.body(3, "one") + self.body(4, "two") + "};\n}\n"
        self.assertEqual([(name, size) for name, _, size, _ in check_sizes.functions(text)], [("one", 3), ("two", 4)])

    def test_a_constructor_with_a_member_list_is_one_function(self):
        text = "Box::Box(int a) : a_{a}, b_(std::move(a)) {\n    open();\n    close();\n}\n"
        self.assertEqual([(name, size) for name, _, size, _ in check_sizes.functions(text)], [("Box::Box", 2)])

    def test_braces_in_strings_and_comments_do_not_count(self):
        text = 'void f(int) {\n    g("{{{");  // {\n    h(\'{\', 1\'000);\n}\n' + self.body(2)
        self.assertEqual([(name, size) for name, _, size, _ in check_sizes.functions(text)], [("f", 2), ("work", 2)])

    def test_nested_control_flow_is_counted_in_levels(self):
        opened = "void f(int x) {\n    auto g = [&] {\n" + "        if (x) {\n" * 4
        text = opened + "x = 1;\n" + "        }\n" * 4 + "    };\n}\n"
        self.assertEqual(list(check_sizes.functions(text))[0][3], 4)
        self.assertIn("nests 4", self.measure(text)[0][0])
        self.assertEqual(self.measure(text.replace("if (x) {", "{", 1))[0], [])

    def test_rows_of_a_table_are_free(self):
        rows = "        case Code::a: return 1;\n" * 100
        text = "int f(Code c) {\n    switch (c) {\n" + rows + "    }\n    return 0;\n}\n"
        self.assertEqual(list(check_sizes.functions(text))[0][2], 3)

    def test_a_long_file_warns_then_fails(self):
        self.assertEqual(len(self.measure("int x;\n" * 401)[0]), 1)
        self.assertEqual(len(self.measure("int x;\n" * 601)[1]), 1)


# Prints every package that scripts/setup names as installed.
EVERYTHING = "sed -n '/^packages=(/,/^)/p' scripts/setup | tr -s ' ' '\\n' | sed 's/^/installed /'; " \
             "printf 'installed %s\\n' g++-aarch64-linux-gnu qemu-user"


class Setup(unittest.TestCase):
    """Runs a copy of scripts/setup whose only mirror is a folder, on a machine that seems to have no libraries."""

    def run_setup(self, pool_files, arguments=("--no-packages",), programs=None, times=1):
        here = pathlib.Path(__file__).resolve().parent
        with tree({f"mirror/pool/{path}": text for path, text in pool_files.items()}) as root:
            for name in ("scripts", "bin"):
                os.mkdir(f"{root}/{name}")
            shutil.copy(here / "setup", f"{root}/scripts/setup")
            curl = shutil.which("curl")
            fakes = {"curl": f'case "$*" in *file://*) exec {curl} "$@" ;; esac; exit 6', "pkg-config": "exit 1", **(programs or {})}
            for name, body in fakes.items():
                pathlib.Path(f"{root}/bin/{name}").write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
                os.chmod(f"{root}/bin/{name}", 0o755)
            environment = {**os.environ, "PATH": f"{root}/bin:{os.environ['PATH']}", "DRAWHITCH_POOL": f"file://{root}/mirror"}
            for _ in range(times):
                done = subprocess.run([f"{root}/scripts/setup", *arguments], env=environment, capture_output=True, text=True,
                                      check=False)
            self.said = done.stdout
            left = [path.name for path in pathlib.Path(f"{root}/.deps").rglob("*") if path.is_file()]
        return done.returncode, done.stderr, left

    def test_a_source_with_another_hash_is_refused_and_nothing_is_left(self):
        code, message, left = self.run_setup({"main/libs/libssh2/libssh2_1.11.1.orig.tar.gz": "not what it says\n"})
        self.assertNotEqual(code, 0)
        self.assertIn("another libssh2_1.11.1.orig.tar.gz than the pinned one", message)
        self.assertEqual(left, [])

    def test_a_mirror_without_the_source_is_named_as_the_cause(self):
        code, message, left = self.run_setup({})
        self.assertNotEqual(code, 0)
        self.assertIn("no configured mirror has the orig of libssh2", message)
        self.assertEqual(left, [])

    def wants_libssh2(self, version):
        """Whether setup would build libssh2 where the distribution's package has this version ("": no package)."""
        programs = {"pkg-config": "exit 0",
                    "dpkg-query": f"case \"$*\" in *libssh2-1-dev*) [ -n '{version}' ] && printf %s '{version}' ;; *) exit 1 ;; esac"}
        self.run_setup({}, ("--no-packages", "--check"), programs)
        return "not built: libssh2" in self.said

    def test_a_libssh2_without_all_security_patches_is_not_taken_from_the_distribution(self):
        for version in ("1.11.1-1", "1.11.1-1+b1", "1.11.1-1+deb13u1", "1.11.1-2", "1.11.1-5", "1.11.0-7", "1.10.0-3+b1",
                        "1.11.1-1ubuntu0.26.04.3", "1.11.1-1ubuntu0.25.10.9", ""):
            with self.subTest(version=version):
                self.assertTrue(self.wants_libssh2(version))

    def test_a_libssh2_with_them_is_taken_from_the_distribution(self):
        for version in ("1.11.1-1+deb13u2", "1.11.1-1+deb13u10", "1.11.1-6", "1.11.1-10", "1.12.0-1", "1.11.1-1ubuntu0.26.04.4"):
            with self.subTest(version=version):
                self.assertFalse(self.wants_libssh2(version))

    def test_what_was_found_is_not_looked_for_again(self):
        """A second --check asks neither apt nor the list of packages."""
        with tempfile.TemporaryDirectory() as folder:
            calls = pathlib.Path(folder) / "calls"
            programs = {"pkg-config": "exit 0", "apt-get": "exit 0", "apt-cache": f"echo apt >> {calls}",
                        "dpkg-query": f"case \"$*\" in *libssh2-1-dev*) printf 1.11.1-6 ;; *) echo list >> {calls}; {EVERYTHING} ;; esac"}
            self.run_setup({}, ("--check",), programs, times=2)
            self.assertEqual(calls.read_text().count("list"), 1)


if __name__ == "__main__":
    unittest.main()
