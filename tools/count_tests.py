#!/usr/bin/env python3
"""Counts the test cases of one `bazel test` run.

Reads the run's build events (--build_event_json_file), opens the test.xml of
every test that belongs to the run, cached ones included, and prints the reason
of every skip, the name of every failure, and one line:

    N passed, N failed, N skipped

What has no cases counts as one: a shell test, a binary that crashed before it
wrote its results, a target that did not build. Exits 1 when anything failed or
nothing passed or was skipped.
"""

import argparse
import dataclasses
import json
import re
import sys
import urllib.parse
import xml.etree.ElementTree as ElementTree

# bazel's exit codes after which the test results say everything.
BAZEL_OK, BAZEL_TESTS_FAILED = 0, 3


@dataclasses.dataclass
class Case:
    name: str
    outcome: str  # "passed", "failed" or "skipped"
    reason: str = ""


def first_line(text):
    """The line that says why: GoogleTest puts the place above the message."""
    lines = [line.strip() for line in (text or "").splitlines()]
    lines = [line for line in lines if line]
    if len(lines) > 1 and re.fullmatch(r"\S+:\d+:?|unknown file", lines[0]):
        return lines[1]
    return lines[0] if lines else ""


def case_of(element):
    """One <testcase>, as written by GoogleTest, Bazel or a shell test."""
    suite = element.get("classname", "")
    name = f"{suite}.{element.get('name', '')}".strip(".")
    for tag in ("failure", "error"):
        found = element.find(tag)
        if found is not None:
            return Case(name, "failed",
                        first_line(found.get("message") or found.text))
    found = element.find("skipped")
    if found is not None:
        return Case(name, "skipped",
                    first_line(found.get("message") or found.text))
    if element.get("result") == "suppressed" or element.get(
            "status") == "notrun":
        return Case(name, "skipped", "disabled in the source")
    return Case(name, "passed")


def cases_of(label, result):
    """The cases of one finished test action, which may be one shard."""
    passed = result.get("status") in ("PASSED", "FLAKY")
    cases = []
    for output in result.get("testActionOutput", []):
        if output.get("name") != "test.xml":
            continue
        path = urllib.parse.unquote(
            urllib.parse.urlparse(output.get("uri", "")).path)
        try:
            root = ElementTree.parse(path).getroot()
        except (OSError, ElementTree.ParseError):
            continue  # killed while writing: the status below decides
        cases = [case_of(element) for element in root.iter("testcase")]
    if not cases:
        # A shard may be empty; whatever else has no cases is one by itself.
        return [Case("", "passed" if passed else "failed",
                     "" if passed else result.get("status", "no status"))]
    if not passed and all(case.outcome != "failed" for case in cases):
        # A sanitizer's report at exit, or a crash after the results.
        cases.append(Case("", "failed", "failed after its last case"))
    return cases


def collect(lines):
    """Build events -> [(label, Case)], in order of label."""
    results = {}  # (label, run, shard) -> (attempt, result); the last one counts
    broken = {}
    for line in lines:
        if not line.strip():
            continue
        event = json.loads(line)
        identity = event.get("id", {})
        if "testResult" in identity and "testResult" in event:
            test = identity["testResult"]
            key = (test["label"], test.get("run", 1), test.get("shard", 1))
            attempt = test.get("attempt", 1)
            if attempt >= results.get(key, (0, None))[0]:
                results[key] = (attempt, event["testResult"])
        elif "targetCompleted" in identity:
            if not event.get("completed", {}).get("success", False):
                broken[identity["targetCompleted"]["label"]] = "did not build"
    found = []
    for (label, _, _), (_, result) in sorted(results.items()):
        found += [(label, case) for case in cases_of(label, result)]
    tested = {label for label, _ in found}
    found += [(label, Case("", "failed", why))
              for label, why in sorted(broken.items()) if label not in tested]
    return found


def report(found, bazel_exit_code, out=sys.stdout):
    """Prints the summary; returns the exit code."""
    count = {"passed": 0, "failed": 0, "skipped": 0}
    for _, case in found:
        count[case.outcome] += 1
    if (bazel_exit_code not in (BAZEL_OK, BAZEL_TESTS_FAILED)
            and not count["failed"]):
        count["failed"] = 1
        print(f"failed: bazel ended with exit code {bazel_exit_code}", file=out)
    for outcome in ("skipped", "failed"):
        for label, case in found:
            if case.outcome == outcome:
                name = f"{label} {case.name}".strip()
                print(f"{outcome}: {name}: {case.reason}", file=out)
    print("{passed} passed, {failed} failed, {skipped} skipped".format(**count),
          file=out)
    ran = count["passed"] + count["skipped"]
    return 0 if ran and not count["failed"] else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--events", required=True,
                        help="file written by --build_event_json_file")
    parser.add_argument("--bazel-exit-code", type=int, default=BAZEL_OK)
    args = parser.parse_args()
    with open(args.events, encoding="utf-8") as events:
        found = collect(events)
    return report(found, args.bazel_exit_code)


if __name__ == "__main__":
    sys.exit(main())
