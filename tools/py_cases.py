"""Runs a module's unittest cases under Bazel, each counted as one test case.

Python tests here are sh_test targets: the distribution's Bazel starts Python
tests with an interpreter named "python", which Debian does not have.
"""

import os
import sys
import unittest
import xml.etree.ElementTree as ElementTree


class _Result(unittest.TextTestResult):
    """Keeps what every case came to."""

    def __init__(self, *args):
        super().__init__(*args)
        self.suite = ElementTree.Element("testsuite", name="python")

    def _add(self, test, tag="", message=""):
        classname, _, name = test.id().rpartition(".")
        case = ElementTree.SubElement(
            self.suite, "testcase", name=name or str(test),
            classname=classname.removeprefix("__main__."))
        if tag:
            ElementTree.SubElement(case, tag, message=message)

    def addSuccess(self, test):
        super().addSuccess(test)
        self._add(test)

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self._add(test, "failure", str(err[1]))

    def addError(self, test, err):
        super().addError(test, err)
        self._add(test, "error", repr(err[1]))

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self._add(test, "skipped", reason)

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err is not None:
            self._add(subtest, "failure", str(err[1]))


def main():
    runner = unittest.TextTestRunner(resultclass=_Result, verbosity=2)
    result = unittest.main(testRunner=runner, exit=False).result
    path = os.environ.get("XML_OUTPUT_FILE")
    if path:
        root = ElementTree.Element("testsuites")
        root.append(result.suite)
        ElementTree.ElementTree(root).write(path, encoding="utf-8",
                                            xml_declaration=True)
    sys.exit(not result.wasSuccessful())
