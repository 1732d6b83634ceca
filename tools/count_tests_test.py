#!/usr/bin/env python3
"""Tests of count_tests.py: python3 tools/count_tests_test.py"""

import io
import json
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import count_tests  # noqa: E402
import py_cases  # noqa: E402

GTEST = """<?xml version="1.0"?><testsuites><testsuite name="Ring">
<testcase name="Wraps" status="run" result="completed" classname="Ring"/>
<testcase name="Grows" status="run" result="completed" classname="Ring">
  <failure message="ring_test.cc:7&#x0A;Expected equality" type=""/>
  <failure message="ring_test.cc:9&#x0A;a second one" type=""/></testcase>
<testcase name="Tun" status="run" result="skipped" classname="Ring">
  <skipped message="ring_test.cc:12&#x0A;no /dev/net/tun here"/></testcase>
<testcase name="DISABLED_Old" status="notrun" result="suppressed"
  classname="Ring"/></testsuite></testsuites>"""
ALL_PASSED = """<testsuites><testsuite name="Ring">
<testcase name="Wraps" status="run" classname="Ring"/>
</testsuite></testsuites>"""
NO_CASES = "<testsuites/>"
# What Bazel writes for a test that writes nothing itself.
SHELL_FAILED = """<testsuites><testsuite name="t"><testcase name="t"
status="run"><error message="exited with error code 1"/></testcase>
<system-out>...</system-out></testsuite></testsuites>"""


class Count(unittest.TestCase):

    def setUp(self):
        self.dir = tempfile.TemporaryDirectory()
        self.addCleanup(self.dir.cleanup)
        self.events = []

    def add_test(self, label, status, xml=None, **identity):
        outputs = []
        if xml is not None:
            path = os.path.join(self.dir.name, f"{len(self.events)} test.xml")
            with open(path, "w", encoding="utf-8") as file:
                file.write(xml)
            uri = "file://" + path.replace(" ", "%20")
            outputs = [{"name": "test.log", "uri": "file:///nowhere"},
                       {"name": "test.xml", "uri": uri}]
        self.events.append({
            "id": {"testResult": {"label": label, **identity}},
            "testResult": {"status": status, "testActionOutput": outputs}})

    def add_target(self, label, success):
        self.events.append({
            "id": {"targetCompleted": {"label": label}},
            "completed": {"success": True} if success else {}})

    def run_report(self, bazel_exit_code=0):
        found = count_tests.collect(map(json.dumps, self.events))
        out = io.StringIO()
        code = count_tests.report(found, bazel_exit_code, out)
        lines = out.getvalue().splitlines()
        return code, lines[:-1], lines[-1]

    def test_counts_the_cases_of_a_googletest_binary(self):
        self.add_test("//a:t", "FAILED", GTEST)
        code, details, summary = self.run_report(3)
        self.assertEqual(summary, "1 passed, 1 failed, 2 skipped")
        self.assertEqual(details, [
            "skipped: //a:t Ring.Tun: no /dev/net/tun here",
            "skipped: //a:t Ring.DISABLED_Old: disabled in the source",
            "failed: //a:t Ring.Grows: Expected equality"])
        self.assertEqual(code, 1)

    def test_a_shell_test_is_one_case(self):
        self.add_test("//a:ok", "PASSED", ALL_PASSED)
        self.add_test("//a:bad", "FAILED", SHELL_FAILED)
        self.assertEqual(self.run_report(3)[2],
                         "1 passed, 1 failed, 0 skipped")

    def test_a_crash_without_results_is_one_failure(self):
        for xml in (None, "", NO_CASES, ALL_PASSED[:40]):
            with self.subTest(xml=xml):
                self.events = []
                self.add_test("//a:t", "FAILED", xml)
                self.assertEqual(self.run_report(3)[2],
                                 "0 passed, 1 failed, 0 skipped")

    def test_a_leak_found_after_the_last_case_is_a_failure(self):
        self.add_test("//a:t", "FAILED", ALL_PASSED)
        self.assertEqual(self.run_report(3)[2],
                         "1 passed, 1 failed, 0 skipped")

    def test_a_timeout_is_a_failure_and_names_its_status(self):
        self.add_test("//a:t", "TIMEOUT")
        _, details, summary = self.run_report(3)
        self.assertEqual(details, ["failed: //a:t: TIMEOUT"])
        self.assertEqual(summary, "0 passed, 1 failed, 0 skipped")

    def test_shards_add_up_and_only_the_last_attempt_counts(self):
        self.add_test("//a:t", "PASSED", ALL_PASSED, shard=1)
        self.add_test("//a:t", "FAILED", GTEST, shard=2, attempt=1)
        self.add_test("//a:t", "PASSED", ALL_PASSED, shard=2, attempt=2)
        code, _, summary = self.run_report()
        self.assertEqual((code, summary), (0, "2 passed, 0 failed, 0 skipped"))

    def test_an_empty_passing_test_counts_once(self):
        self.add_test("//a:t", "PASSED", NO_CASES)
        self.assertEqual(self.run_report()[2], "1 passed, 0 failed, 0 skipped")

    def test_a_target_that_does_not_build_is_one_failure(self):
        self.add_test("//a:t", "PASSED", ALL_PASSED)
        self.add_target("//a:t", True)
        self.add_target("//a:broken", False)
        code, details, summary = self.run_report(1)
        self.assertEqual(details, ["failed: //a:broken: did not build"])
        self.assertEqual((code, summary), (1, "1 passed, 1 failed, 0 skipped"))

    def test_a_failing_build_without_any_event_is_one_failure(self):
        code, details, summary = self.run_report(1)
        self.assertEqual(details, ["failed: bazel ended with exit code 1"])
        self.assertEqual((code, summary), (1, "0 passed, 1 failed, 0 skipped"))

    def test_nothing_run_is_not_success(self):
        code, _, summary = self.run_report(0)
        self.assertEqual((code, summary), (1, "0 passed, 0 failed, 0 skipped"))

    def test_all_skipped_is_success(self):
        self.add_test("//a:t", "PASSED", ALL_PASSED.replace(
            'classname="Ring"/>', '><skipped message="no TUN"/></testcase>'))
        code, details, summary = self.run_report()
        self.assertEqual(details, ["skipped: //a:t Wraps: no TUN"])
        self.assertEqual((code, summary), (0, "0 passed, 0 failed, 1 skipped"))


if __name__ == "__main__":
    py_cases.main()
