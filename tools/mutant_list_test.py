#!/usr/bin/env python3
"""Tests of mutant_list.py: python3 tools/mutant_list_test.py"""

import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import mutant_list  # noqa: E402
import py_cases  # noqa: E402

MUTANT = """
[[mutant]]
name = "m"
breaks = "req X-1"
says = "one is two"
file = "a.cc"
find = "one"
replace = "two"
tests = ["//p:a_test"]
"""
WAITING = """
[[waiting]]
name = "w"
breaks = "req X-2"
says = "three is four"
part = "9 of 9"
"""


class Mutants(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = folder.name
        self.write("a.cc", "zero one three")
        self.write("p/a_test.cc", "")

    def write(self, name, text):
        path = os.path.join(self.root, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def problems(self, text):
        self.write(mutant_list.LIST, text)
        return "\n".join(mutant_list.read(self.root)[2])

    def test_a_list_that_is_right_is_read(self):
        self.write(mutant_list.LIST, MUTANT + WAITING)
        mutants, waiting, problems = mutant_list.read(self.root)
        self.assertEqual(problems, [])
        self.assertEqual([m.replace for m in mutants], ["two"])
        self.assertEqual([w.part for w in waiting], ["9 of 9"])

    def test_what_to_find_stands_there_once(self):
        for text, count in (("zero", 0), ("one one", 2)):
            self.write("a.cc", text)
            self.assertIn(f"m: what to find stands {count} times in a.cc",
                          self.problems(MUTANT))

    def test_what_cannot_be_applied_is_told(self):
        for old, new, problem in (
                ('"a.cc"', '"b.cc"', "m: there is no b.cc"),
                ('"two"', '"one"', "m: changes nothing"),
                ('["//p:a_test"]', "[]", "m: names no test"),
                ("a_test", "b_test", "m: there is no //p:b_test"),
                ("find", "fond", "m: missing or unknown: find, fond"),
                ("[[mutant]]", "[[mutant", "Expected")):
            self.assertIn(problem, self.problems(MUTANT.replace(old, new)))

    def test_names_are_there_once(self):
        self.assertIn("m stands there twice",
                      self.problems(MUTANT + WAITING.replace('"w"', '"m"')))


if __name__ == "__main__":
    py_cases.main()
