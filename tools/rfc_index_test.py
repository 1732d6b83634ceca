#!/usr/bin/env python3
"""Tests of rfc_index.py: python3 tools/rfc_index_test.py"""

import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import py_cases  # noqa: E402
import rfc_index  # noqa: E402

CODE, TEST = "tcpip/a.cc", "tcpip/a_test.cc"
EXCEPTION = """
[[exception]]
requirement = "RFC 9293 3.8.3 MUST-23"
quote = "at least 3 minutes"
reason = "a pipe | and
 a line"
""".replace("\n a", " a")

SHARED = """
[[exception]]
reason = "both"
[[exception.says]]
requirement = "RFC 9293 3.4 MUST-1"
quote = "one"
[[exception.says]]
requirement = "RFC 9293 3.5 MUST-2"
quote = "two"
"""


class RfcIndex(unittest.TestCase):

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.root = directory.name
        self.put("docs/rfc_exceptions.toml", "")

    def put(self, path, text):
        whole = os.path.join(self.root, path)
        os.makedirs(os.path.dirname(whole), exist_ok=True)
        with open(whole, "w", encoding="utf-8") as file:
            file.write(text)

    def index(self):
        self.assertEqual(rfc_index.write(self.root), [])
        return rfc_index.read(self.root, rfc_index.INDEX)

    def check(self):
        """Problems besides an index that is out of date."""
        rfc_index.write(self.root)
        return rfc_index.check(self.root, numbered={})

    def test_pairs_code_with_tests_in_numeric_order(self):
        self.put(CODE, "// [RFC 9293 3.10.7.4] a\n// [RFC 9293 3.4 MUST-13] b\n"
                 "// [RFC 793 3.1] c\n// [req A-33] d\n// [fault W04] e\n")
        self.put(TEST, "// [RFC 9293 3.4 MUST-13]\n")
        rows = [line for line in self.index().splitlines()
                if line.startswith(("| ", "## "))]
        head = "| place | code | tests |"
        self.assertEqual(rows, [
            "## RFC 793", head, f"| 3.1 | {CODE} |  |",
            "## RFC 9293", head, f"| 3.4 MUST-13 | {CODE} | {TEST} |",
            f"| 3.10.7.4 | {CODE} |  |",
            "## Faults made impossible", head, f"| W04 | {CODE} |  |",
            "## Requirements", head, f"| A-33 | {CODE} |  |"])

    def test_a_fresh_index_passes_and_a_stale_one_fails(self):
        self.put(CODE, "// [RFC 9293 3.4]\n")
        self.assertEqual(self.check(), [])
        self.put(CODE, "// [RFC 9293 3.5]\n")
        self.assertEqual(rfc_index.check(self.root, {}),
                         ["docs/rfc.md: out of date; run tools/rfc_index.py"])

    def test_a_missing_index_fails(self):
        self.put(CODE, "// [RFC 9293 3.4]\n")
        self.assertEqual(len(rfc_index.check(self.root, {})), 1)

    def test_a_must_in_code_needs_a_test(self):
        self.put(CODE, "// [RFC 9293 3.4 MUST-13]\n// [RFC 6298 5.1 MUST]\n")
        self.assertEqual(self.check(), [
            f"{CODE}: no test cites [{must}], and no exception in "
            "docs/rfc_exceptions.toml quotes it"
            for must in ("RFC 6298 5.1 MUST", "RFC 9293 3.4 MUST-13")])

    def test_a_numbered_must_is_proven_under_any_section(self):
        self.put(CODE, "// [RFC 9293 3.4 MUST-13]\n")
        self.put(TEST, "// [RFC 9293 3.4.1 MUST-13]\n")
        self.assertEqual(self.check(), [])

    def test_a_plain_must_is_proven_under_its_own_section_only(self):
        self.put(CODE, "// [RFC 6298 5.1 MUST]\n")
        self.put(TEST, "// [RFC 6298 5.2 MUST]\n")
        self.assertEqual(len(self.check()), 1)

    def test_scripts_and_cross_layer_tests_prove_too(self):
        for path in ("tests/sim/loss.cc", "conformance/scripts/close.pkt"):
            with self.subTest(path=path):
                self.put(CODE, "// [RFC 9293 3.4 MUST-13]\n")
                self.put(path, "// [RFC 9293 3.4 MUST-13]\n")
                self.assertEqual(self.check(), [])
                os.remove(os.path.join(self.root, path))

    def test_every_numbered_must_is_tested_or_excused(self):
        self.put(TEST, "// [RFC 9293 3.4 MUST-2]\n")
        self.put(CODE, "// [RFC 9293 3.1 MUST-1] code alone is no proof\n")
        self.put("docs/rfc_exceptions.toml",
                 EXCEPTION.replace("MUST-23", "MUST-3"))
        rfc_index.write(self.root)
        self.assertEqual(rfc_index.check(self.root, {9293: 4})[1:], [
            f"RFC 9293 MUST-{i}: no test cites it and no exception in "
            "docs/rfc_exceptions.toml quotes it" for i in (1, 4)])

    def test_a_should_needs_no_test(self):
        self.put(CODE, "// [RFC 6298 2.4 SHLD]\n")
        self.assertEqual(self.check(), [])

    def test_an_exception_excuses_and_is_listed(self):
        self.put(CODE, "// [RFC 9293 3.8.3 MUST-23]\n")
        self.put("docs/rfc_exceptions.toml", EXCEPTION)
        self.assertEqual(self.check(), [])
        self.assertIn("| RFC 9293 3.8.3 MUST-23 | at least 3 minutes "
                      "| a pipe \\| and a line |", self.index())

    def test_one_reason_may_be_that_of_several(self):
        self.put(CODE, "// [RFC 9293 3.4 MUST-1]\n// [RFC 9293 3.5 MUST-2]\n")
        self.put("docs/rfc_exceptions.toml", SHARED)
        self.assertEqual(self.check(), [])
        self.assertIn("| RFC 9293 3.4 MUST-1 | one | both |\n"
                      "| RFC 9293 3.5 MUST-2 | two | both |", self.index())

    def test_an_exception_needs_requirement_quote_and_reason(self):
        name = "docs/rfc_exceptions.toml: exception 1"
        for text in (EXCEPTION, SHARED):
            for line, problem in (("requirement", "has no requirement"),
                                  ("quote", " has no quote"),
                                  ("reason", "has no reason")):
                with self.subTest(missing=line, text=text):
                    self.put("docs/rfc_exceptions.toml", "\n".join(
                        kept for kept in text.splitlines()
                        if not kept.startswith(line)))
                    for found in self.check():
                        self.assertTrue(found.startswith(name))
                        self.assertTrue(found.endswith(problem))
                    self.assertTrue(self.check())

    def test_mistakes_in_the_exceptions_file_are_named(self):
        name = "docs/rfc_exceptions.toml: "
        for text, problem in (
                ("[[exception", ""),
                ("[other]", "unknown table other"),
                ("exception = 1", "write [[exception]] before each"),
                ("[exception]", "write [[exception]] before each"),
                (EXCEPTION + "owner = 1", "exception 1: unknown key owner"),
                (EXCEPTION * 2, "exception 2: RFC 9293 3.8.3 MUST-23 stands "
                 "there twice"),
                (EXCEPTION.replace("RFC 9293 3.8.3", "RFC 9293"),
                 "exception 1: 'RFC 9293 MUST-23' is not one citation, such as "
                 "'RFC 9293 3.8.3 MUST-23'"),
                (EXCEPTION.replace('"RFC 9293 3.8.3 MUST-23"', "23"),
                 "exception 1: has no requirement"),
                (EXCEPTION + "says = 1", "exception 1: excuses nothing"),
                (EXCEPTION + "[[exception.says]]\nowner = 1",
                 "exception 1: unknown key owner"),
                (SHARED.replace("[[exception]]", "[[exception]]\nquote = 'a'"),
                 "exception 1: unknown key quote")):
            with self.subTest(text=text):
                self.put("docs/rfc_exceptions.toml", text)
                self.assertTrue(self.check()[0].startswith(name + problem),
                                self.check())

    def test_malformed_tags_are_left_to_the_house_rules(self):
        self.put(CODE, "// [RFC 9293]\n")
        self.assertEqual(self.check(), [])


if __name__ == "__main__":
    py_cases.main()
