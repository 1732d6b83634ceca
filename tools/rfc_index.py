#!/usr/bin/env python3
"""Pairs the citations in code with those in tests.

    tools/rfc_index.py             writes docs/rfc.md
    tools/rfc_index.py --check     fails when docs/rfc.md is out of date, when a
                                   MUST cited in code has neither a test that
                                   cites it nor an entry in
                                   docs/rfc_exceptions.toml, when a numbered
                                   MUST of RFC 9293 has neither, cited or not,
                                   or when an exception lacks its quote or reason
"""

import argparse
import collections
import os
import re
import sys
import tomllib

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import citations  # noqa: E402

INDEX = "docs/rfc.md"
EXCEPTIONS = "docs/rfc_exceptions.toml"
# RFCs that number their MUSTs, from 1 to this. [RFC 9293 B]
NUMBERED = {9293: 69}
PAIR = {"requirement", "quote"}
CITING = (".h", ".cc", ".proto", ".pkt", ".sh")


def is_test(path):
    stem = os.path.splitext(path)[0]
    return (path.startswith("tests/") or path.endswith(".pkt")
            or stem.endswith("_test"))


def collect(root):
    """Reads the tree -> {citation: (code paths, test paths)}."""
    found = collections.defaultdict(lambda: (set(), set()))
    for folder, names, files in os.walk(root):
        names[:] = [name for name in names
                    if not name.startswith((".", "bazel-"))]
        for name in files:
            if not name.endswith(CITING):
                continue
            whole = os.path.join(folder, name)
            path = os.path.relpath(whole, root)
            with open(whole, encoding="utf-8", errors="replace") as file:
                text = file.read()
            for _, _, parsed in citations.find_tags(text):
                for citation in parsed or ():
                    found[citation][is_test(path)].add(path)
    return dict(found)


def _tables(value):
    """`value`, if [[name]] gives it; else nothing."""
    is_list = isinstance(value, list)
    return value if is_list and all(isinstance(v, dict) for v in value) else []


def _is_text(value):
    return isinstance(value, str) and bool(value.strip())


def _form_faults(entry, pairs):
    """What is wrong with an exception but for its single pairs."""
    if not pairs:
        yield ("excuses nothing; write [[exception.says]] for each requirement "
               "and its quote")
    if not _is_text(entry.get("reason")):
        yield "has no reason"
    unknown = set(entry) - {"reason"} - ({"says"} if "says" in entry else PAIR)
    if "says" in entry:
        unknown.update(*(set(pair) - PAIR for pair in pairs))
    for key in sorted(unknown):
        yield f"unknown key {key}"


def _read_pair(pair):
    """What a pair excuses, or None, and what is wrong with it."""
    requirement = pair.get("requirement")
    if not _is_text(requirement):
        return None, ["has no requirement"]
    parsed = citations.parse_tag(requirement)
    if not parsed or len(parsed) != 1 or parsed[0].kind != "RFC":
        return None, [f"{requirement!r} is not one citation, such as "
                      "'RFC 9293 3.8.3 MUST-23'"]
    if not _is_text(pair.get("quote")):
        return parsed[0], [f"{requirement} has no quote"]
    return parsed[0], []


def read_exceptions(text):
    """{citation: (quote, reason)}, and what is wrong with the file."""
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        return {}, [f"{EXCEPTIONS}: {error}"]
    excused = {}
    problems = [f"{EXCEPTIONS}: unknown table {key}"
                for key in sorted(set(document) - {"exception"})]
    listed = document.get("exception", [])
    if "exception" in document and not _tables(listed):
        problems.append(f"{EXCEPTIONS}: write [[exception]] before each")
    for number, entry in enumerate(_tables(listed), 1):
        pairs = _tables(entry["says"]) if "says" in entry else [entry]
        faults = list(_form_faults(entry, pairs))
        for pair in pairs:
            citation, wrong = _read_pair(pair)
            faults += wrong
            if citation in excused:
                faults.append(f"{citation} stands there twice")
            elif citation:
                excused[citation] = (pair.get("quote"), entry.get("reason"))
        problems += [f"{EXCEPTIONS}: exception {number}: {fault}"
                     for fault in faults]
    return excused, problems


def identity(citation):
    """What pairs code with test: a numbered label is unique in its RFC."""
    if re.search(r"-\d+$", citation.label):
        return citation.number, citation.label
    return citation.number, citation.place, citation.label


def settle(found, exceptions):
    """The identities of what a test cites or an exception excuses."""
    return ({identity(citation) for citation, (_, tests) in found.items()
             if tests} | {identity(citation) for citation in exceptions})


def unproven(found, settled):
    """The MUSTs that code cites and nothing proves or excuses."""
    for citation, (code, _) in sorted(found.items(), key=_order):
        if (citation.label.startswith("MUST") and code
                and identity(citation) not in settled):
            yield (f"{min(code)}: no test cites [{citation}], and no exception "
                   f"in {EXCEPTIONS} quotes it")


def unmentioned(settled, numbered):
    """The numbered MUSTs that no test cites and no exception quotes."""
    for number, last in numbered.items():
        for i in range(1, last + 1):
            if (number, f"MUST-{i}") not in settled:
                yield (f"RFC {number} MUST-{i}: no test cites it and no "
                       f"exception in {EXCEPTIONS} quotes it")


def _order(item):
    citation = item[0]
    return citation.kind != "RFC", citation.kind, citation.number, [
        (0, int(part), "") if part.isdigit() else (1, 0, part)
        for part in re.findall(r"\d+|[A-Za-z-]+", citation.place)
    ], citation.label.split("-")[0], int("0" + citation.label.partition("-")[2])


def _cell(text):
    return " ".join(str(text).split()).replace("|", "\\|")


def render(found, exceptions):
    """The text of docs/rfc.md."""
    lines = ["# Requirements, where they are met and where they are proven", "",
             "Written by `tools/rfc_index.py` from the citations in code and "
             "tests; not by hand."]
    title = ""
    for citation, (code, tests) in sorted(found.items(), key=_order):
        heading = {"RFC": f"RFC {citation.number}", "req": "Requirements",
                   "fault": "Faults made impossible"}[citation.kind]
        if heading != title:
            title = heading
            lines += ["", f"## {title}", "", "| place | code | tests |",
                      "|---|---|---|"]
        place = f"{citation.place} {citation.label}".strip() or "all"
        lines.append(f"| {place} | {'<br>'.join(sorted(code))} "
                     f"| {'<br>'.join(sorted(tests))} |")
    if exceptions:
        lines += ["", "## Not followed", "", "| requirement | it says | why not |",
                  "|---|---|---|"]
        for citation, (quote, reason) in sorted(exceptions.items(), key=_order):
            lines.append(f"| {citation} | {_cell(quote)} | {_cell(reason)} |")
    return "\n".join(lines) + "\n"


def read(root, path):
    try:
        with open(os.path.join(root, path), encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        return ""


def check(root, numbered):
    """The lines `--check` prints."""
    found = collect(root)
    exceptions, problems = read_exceptions(read(root, EXCEPTIONS))
    settled = settle(found, exceptions)
    problems += unproven(found, settled)
    problems += unmentioned(settled, numbered)
    if read(root, INDEX) != render(found, exceptions):
        problems.append(f"{INDEX}: out of date; run tools/rfc_index.py")
    return problems


def write(root):
    exceptions, problems = read_exceptions(read(root, EXCEPTIONS))
    with open(os.path.join(root, INDEX), "w", encoding="utf-8") as file:
        file.write(render(collect(root), exceptions))
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true",
                        help="change nothing; fail when something is missing")
    parser.add_argument("--root", default=os.path.join(
        os.path.dirname(os.path.abspath(__file__)), ".."))
    args = parser.parse_args()
    problems = check(args.root, NUMBERED) if args.check else write(args.root)
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
