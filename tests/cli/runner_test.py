#!/usr/bin/env python3
"""Proves that run.py and docs_test.py fail when they should: a runner that passes everything would hide every failure."""
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

RUNNER = pathlib.Path(__file__).resolve().parent / "run.py"
DOCS = RUNNER.parent.parent / "docs_test.py"


class Runner(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.dir = pathlib.Path(self.folder.name)
        (self.dir / "verb").mkdir()
        self.program = self.dir / "drawhitch"
        self.program.write_text("#!/bin/sh\n")
        self.program.chmod(0o755)

    def write(self, name, text):
        (self.dir / "verb" / name).write_text(text)

    def run_cases(self, *options, none_may_skip=False):
        environment = {name: value for name, value in os.environ.items() if name != "DRAWHITCH_NO_SKIPS"}
        if none_may_skip:
            environment["DRAWHITCH_NO_SKIPS"] = "1"
        done = subprocess.run([sys.executable, str(RUNNER), "--program", str(self.program), "--dir", str(self.dir), *options],
                              capture_output=True, text=True, check=False, env=environment)
        return done.returncode, done.stdout + done.stderr

    def test_output_and_exit_code_must_be_as_stated(self):
        self.write("case.sh", "echo hello; exit 3\n")
        code, text = self.run_cases()
        self.assertEqual(code, 1)
        self.assertIn("exit code 3, wanted 0", text)
        self.assertIn("+ hello", text)
        self.write("case.exit", "3\n")
        self.write("case.stdout.exact", "hello\n")
        self.assertEqual(self.run_cases()[0], 0)
        self.write("case.stdout.exact", "hello")
        self.assertEqual(self.run_cases()[0], 1)

    def test_standard_error_without_a_file_must_be_empty(self):
        self.write("case.sh", "echo oops >&2\n")
        self.assertEqual(self.run_cases()[0], 1)
        self.write("case.stderr.ignore", "")
        self.assertEqual(self.run_cases()[0], 0)

    def test_globs_match_within_lines_and_over_lines_only_where_they_say(self):
        self.write("case.sh", "printf 'a 1\\nb\\nc\\nend\\n'\n")
        for glob, wanted in (("a *\n...\nend\n", 0), ("a *\nend\n", 1), ("a *\nb\nc\nend\n...\n", 0), ("...\nc\n", 1),
                             ("*\n*\n*\n*\n", 0), ("*\n*\n*\n", 1), ("", 1)):
            self.write("case.stdout.glob", glob)
            self.assertEqual(self.run_cases()[0], wanted, glob)

    def test_accept_writes_what_was_seen_and_only_where_it_differs(self):
        self.write("case.sh", "echo new; exit 4\n")
        self.write("case.stderr.exact", "old\n")
        self.assertEqual(self.run_cases("--accept")[0], 0)
        self.assertEqual((self.dir / "verb/case.stdout.exact").read_text(), "new\n")
        self.assertEqual((self.dir / "verb/case.exit").read_text(), "4\n")
        self.assertFalse((self.dir / "verb/case.stderr.exact").exists())
        self.assertEqual(self.run_cases()[0], 0)

    def test_a_skip_says_why_is_counted_and_is_no_pass(self):
        self.write("case.sh", "echo 'no fish here' >&2; exit 77\n")
        code, text = self.run_cases()
        self.assertEqual(code, 77)
        self.assertIn("skip verb/case: no fish here", text)
        self.write("other.sh", "true\n")
        code, text = self.run_cases()
        self.assertEqual(code, 0)
        self.assertIn("2 cases, 0 failed, 1 skipped", text)

    def test_under_no_skips_a_skip_fails_and_names_what_is_missing(self):
        self.write("case.sh", "echo 'missing: fish' >&2; exit 77\n")
        self.write("other.sh", "true\n")
        code, text = self.run_cases(none_may_skip=True)
        self.assertEqual(code, 1)
        self.assertIn("missing: fish", text)

    def test_only_a_user_who_is_not_root_may_lack_being_root(self):
        self.write("case.sh", "echo 'needs root: fish' >&2; exit 78\n")
        self.write("other.sh", "true\n")
        code, text = self.run_cases(none_may_skip=True)
        if os.geteuid() == 0:
            self.assertEqual(code, 1)
        else:
            self.assertEqual(code, 0)
            self.assertIn("skip verb/case: needs root: fish", text)

    def test_an_expectation_without_a_script_fails(self):
        self.write("case.sh", "true\n")
        self.write("gone.stdout.exact", "x\n")
        self.assertEqual(self.run_cases()[0], 1)

    def test_a_failing_command_inside_a_script_fails_the_case(self):
        self.write("case.sh", "false\ntrue\n")
        self.assertEqual(self.run_cases()[0], 1)

    def test_what_a_case_leaves_running_is_ended(self):
        self.write("case.sh", f"(sleep 300 >/dev/null 2>&1 & echo $! > {self.dir}/pid)\n")
        self.assertEqual(self.run_cases()[0], 0)
        process = pathlib.Path("/proc") / (self.dir / "pid").read_text().strip()
        for _ in range(200):  # the kernel takes a moment
            state = (process / "stat").read_text().split()[2] if process.exists() else "gone"
            if state in ("gone", "Z"):
                return
            time.sleep(0.05)
        self.fail("the background process lives on")

    def test_no_such_case_is_no_success(self):
        self.write("case.sh", "true\n")
        self.assertEqual(self.run_cases("verb/typo")[0], 77)


class Documents(unittest.TestCase):
    def check(self, text, program="/bin/true"):
        with tempfile.TemporaryDirectory() as folder:
            document = pathlib.Path(folder) / "page.md"
            document.write_text(text, encoding="utf-8")
            done = subprocess.run([sys.executable, str(DOCS), "--program", program, str(document)],
                                  capture_output=True, text=True, check=False)
            return done.returncode, done.stdout

    def test_what_is_shown_must_be_what_is_stated(self):
        self.assertEqual(self.check("<!-- run -->\n```console\n$ echo a b\na …\n```\n")[0], 0)
        self.assertEqual(self.check("<!-- run -->\n```console\n$ printf '1\\n2\\n3\\n'\n1\n…\n3\n```\n")[0], 0)
        code, text = self.check("<!-- run -->\n```console\n$ echo a\nb\n```\n")
        self.assertEqual(code, 1)
        self.assertIn("page.md:2: $ echo a", text)

    def test_exit_codes_count(self):
        self.assertEqual(self.check("<!-- run -->\n```sh\nfalse\n```\n")[0], 1)
        self.assertEqual(self.check("<!-- run exit=1 -->\n```sh\nfalse\n```\n")[0], 0)
        self.assertEqual(self.check("<!-- run exit=1 -->\n```sh\ntrue\n```\n")[0], 1)

    def test_blocks_share_a_directory_and_hidden_ones_prepare_it(self):
        text = "<!-- run-first\nmkdir a; touch a/b\n-->\n<!-- run -->\n```sh\ncd a\n```\n<!-- run -->\n```console\n$ ls\nb\n```\n"
        self.assertEqual(self.check(text)[0], 0)

    def test_links_must_lead_to_a_file_and_a_heading(self):
        run = "<!-- run -->\n```sh\ntrue\n```\n"
        for text, wanted in (("# A word: two\n[here](#a-word-two) [web](https://example.org/x)\n", 0),
                             ("[page](page.md) `[code](nowhere)`\n```\n[block](nowhere)\n```\n", 0),
                             ("[gone](gone.md)\n", 1), ("[gone](#gone)\n", 1), ("[gone](page.md#gone)\n", 1)):
            self.assertEqual(self.check(text + run)[0], wanted, text)

    def test_a_block_that_nothing_runs_is_told(self):
        run = "<!-- run -->\n```sh\ntrue\n```\n"
        for text, wanted in (("```json\n{}\n```\n", 0), ("```\na ---> b\n```\n", 0), ("```sh\ntrue\n```\n", 1),
                             ("```text\n$ true\n```\n", 1), ("```\ndrawhitch ls\n```\n", 1)):
            self.assertEqual(self.check(text + run)[0], wanted, text)

    def test_a_command_in_the_prose_must_be_one_of_the_program(self):
        self.assertEqual(self.check("Type `drawhitch ls`.\n<!-- run -->\n```sh\ntrue\n```\n")[0], 0)
        self.assertEqual(self.check("Type `drawhitch ls`.\n<!-- run -->\n```sh\ntrue\n```\n", "/bin/false")[0], 1)

    def test_a_marker_that_marks_nothing_and_a_page_without_one_fail(self):
        for text in ("<!-- run -->\nwords\n", "<!-- run -->\n", "<!-- run exti=2 -->\n```sh\ntrue\n```\n",
                     "<!-- run -->\n```json\n{}\n```\n", "nothing\n"):
            self.assertEqual(self.check(text)[0], 1, text)


if __name__ == "__main__":
    unittest.main()
