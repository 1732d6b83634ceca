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
        self.write("p/BUILD", "")
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
                ("a_test", "b_test", "m: there is no test //p:b_test"),
                ("//p:a_test", "//p", "m: there is no test //p;"),
                ("//p:a_test", "p:a_test", "m: there is no test p:a_test;"),
                ("//p:a", "//q:a", "m: there is no test //q:a_test"),
                ("find", "fond", "m: missing, unknown or of a wrong type: "
                 "find, fond"),
                ('["//p:a_test"]', '"//p:a_test"', "of a wrong type: tests"),
                ("[[mutant]]", "[[mutant", "Expected")):
            self.assertIn(problem, self.problems(MUTANT.replace(old, new)))

    def test_a_test_may_be_of_any_language(self):
        for rule, source, test in (
                ("unit(name = 'b')", "p/b_test.cc", "b_test"),
                ("[sh_test(name = n)]", "p/b_test.sh", "b_test"),
                ('py_test(name = "look")', "p/b.py", "look"),
                ('fuzz_target(name = "f")', "p/f.cc", "f_corpus_test")):
            with self.subTest(rule=rule):
                self.write("p/BUILD", rule)
                self.write(source, "")
                self.assertEqual(
                    self.problems(MUTANT.replace("a_test", test)), "")

    def test_names_are_there_once(self):
        self.assertIn("m stands there twice",
                      self.problems(MUTANT + WAITING.replace('"w"', '"m"')))


if __name__ == "__main__":
    py_cases.main()
