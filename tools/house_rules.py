#!/usr/bin/env python3
"""Checks the rules of CONTRIBUTING.md that neither compiler nor linter knows.

    tools/house_rules.py            checks the tree, prints file:line: rule: why
    tools/house_rules.py --list     prints the rules

What is allowed where stands in the tables below; a new exception is a line
there, with its reason, in the change that needs it.
"""

import argparse
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import citations  # noqa: E402
import cpp_scan  # noqa: E402

# --- Tables -----------------------------------------------------------------

BASE = ("tcpip/base",)
TCP = "tcpip/transport/tcp"
# The vocabulary that the rooms of TCP share. Recovery and congestion see only
# the numbers: no segment, no connection.
TCP_NUMBERS = tuple(f"{TCP}/{name}.h" for name in (
    "seq", "config", "negotiated", "observe"))
TCP_TYPES = TCP_NUMBERS + tuple(f"{TCP}/{name}.h" for name in (
    "segment", "state", "timers"))
TRANSPORT_BELOW = ("tcpip/timer", "tcpip/buffer", "tcpip/wire") + BASE
STACK_BELOW = ("tcpip/transport/tcp", "tcpip/transport/udp",
               "tcpip/transport/icmp", "tcpip/network",
               "tcpip/link/link.h") + TRANSPORT_BELOW
UP_TO_TUN = ("tcpip/stack", "tcpip/tun", "tcpip/link", "tcpip/forward",
             f"{TCP}/send", f"{TCP}/receive", f"{TCP}/recovery",
             f"{TCP}/congestion") + STACK_BELOW
# The two headers below the stack are vocabulary of its interface.
SHARD_BELOW = ("tcpip/stack", "tcpip/tun", "tcpip/link", "tcpip/buffer",
               "tcpip/wire", f"{TCP}/observe.h",
               "tcpip/network/interface_id.h") + BASE

# Folder -> the folders or headers it may include besides its own. Folders that
# are not listed are programs, tests and tools: they may include anything.
LAYERS = {
    "tcpip/base": (),
    "tcpip/buffer": BASE,
    "tcpip/wire": BASE,
    "tcpip/timer": BASE,
    "tcpip/link": ("tcpip/buffer", "tcpip/wire", "tcpip/timer") + BASE,
    f"{TCP}/recovery": TCP_NUMBERS + BASE,
    f"{TCP}/congestion": TCP_NUMBERS + BASE,
    f"{TCP}/send": (f"{TCP}/recovery", f"{TCP}/congestion",
                    "tcpip/buffer", "tcpip/wire") + TCP_TYPES + BASE,
    f"{TCP}/receive": ("tcpip/buffer", "tcpip/wire") + TCP_TYPES + BASE,
    TCP: (f"{TCP}/send", f"{TCP}/receive") + TRANSPORT_BELOW,
    "tcpip/transport/udp": TRANSPORT_BELOW,
    "tcpip/transport/icmp": TRANSPORT_BELOW,
    "tcpip/network": TRANSPORT_BELOW,
    "tcpip/forward": ("tcpip/transport/tcp",
                      "tcpip/transport/udp") + TRANSPORT_BELOW,
    "tcpip/stack": STACK_BELOW,
    "tcpip/tun": ("tcpip/link/link.h", "tcpip/buffer", "tcpip/wire") + BASE,
    "tcpip/shard": SHARD_BELOW,
    # The headers of shard are for a client that posts commands.
    "tcpip/testing": UP_TO_TUN + ("emulator", "tcpip/shard/command.h",
                                  "tcpip/shard/mailbox.h"),
    "service": ("tcpip/shard",) + SHARD_BELOW,
    "client": ("service/netstack.pb.h", "service/netstack.grpc.pb.h") + BASE,
    "proxy": ("tcpip/shard",) + BASE,
    "conformance": ("tcpip/testing",) + UP_TO_TUN,
    # The path is pure; the program around it forwards between TUN devices.
    "emulator": ("tcpip/tun", "tcpip/link", "tcpip/shard/host.h",
                 "tcpip/buffer", "tcpip/wire") + BASE,
}
# Tests may also use the test kit, as may fixtures, and what their subject
# includes.
TEST_EXTRA = ("tcpip/testing",)

# rule -> (what is matched, the pattern, where it may stand, why not elsewhere).
# A place is a folder, a file, or a file without its extension.
PROGRAMS = ("cmd", "conformance", "emulator", "examples", "bench", "tests",
            "proxy", "tools")
PLACES = {
    "protobuf": ("include", r"google/protobuf/|grpc\w*/|.*\.pb\.h$",
                 ("service", "client", "cmd", "examples", "tests", "bench"),
                 "protobuf and gRPC stay in service, client and cmd"),
    "os": ("include",
           r"(?:sys|net|netinet|netinet6|arpa|linux|asm)/|(?:unistd|fcntl|poll|"
           r"signal|pthread|sched|ifaddrs|netdb|termios|dlfcn|grp|pwd)\.h$",
           ("tcpip/tun", "tcpip/shard", "service", "client") + PROGRAMS,
           "the core knows no operating system"),
    "threads": ("include",
                r"(?:thread|mutex|shared_mutex|atomic|condition_variable|future|"
                r"semaphore|latch|barrier|stop_token)$|absl/synchronization/",
                ("tcpip/shard", "service", "client") + PROGRAMS,
                "threads live in shard and above"),
    "clock": ("code",
              r"_clock::now\b|\bclock_gettime\b|\bgettimeofday\b|\btime\(\s*"
              r"(?:NULL|nullptr|0|&\w+)\s*\)|\babsl::Now\b|\b__?rdtsc\b|"
              r"\bgpr_now\b|\bsleep_(?:for|until)\b|\bnanosleep\b|\busleep\b|"
              r"\babsl::SleepFor\b",
              # gRPC takes deadlines as points of the wall clock.
              ("tcpip/shard/host", "service/server", "client") + PROGRAMS,
              "time is an argument; only tcpip/shard/host reads the clock"),
    "entropy": ("code",
                r"\brandom_device\b|\bgetrandom\b|\bgetentropy\b|\barc4random|"
                r"\bs?rand\(|\bBitGen\b|/dev/u?random",
                ("tcpip/shard/host",),
                "randomness is an Rng; only tcpip/shard/host reads entropy"),
    "core-std": ("include",
                 r"(?:chrono|ctime|time\.h|random|iostream|fstream|filesystem|"
                 r"regex|exception|stdexcept)$",
                 ("tcpip/shard", "tcpip/tun/tun_proc", "tcpip/testing",
                  "service", "client")
                 + PROGRAMS,
                 "the core has its own time and chance, and does no I/O"),
    "language": ("code",
                 r"\bthrow\b|\bcatch\s*\(|\bdynamic_cast\b|\btypeid\b",
                 (), "no exceptions and no run-time types"),
    "old-tools": ("include", r"(?:ranges|format|absl/log/.*)$",
                  (), "not in every compiler and library we build with"),
    "pragma-once": ("code", r"#\s*pragma\s+once", (), "use an include guard"),
}

# Where `friend` may stand besides operators and AbslHashValue: an element and
# the container whose links it holds.
FRIENDS = {
    "tcpip/base/intrusive_list.h": r"class IntrusiveList<",
    "tcpip/buffer/slab.h": r"class Slab\w+",
    "tcpip/timer/timer_heap.h": r"class Timer(?:Heap|Wheel)\b",
}
# Classes that may have more public methods.
FACADES = {
    "tcpip/stack/stack.h": "Stack",  # one call for every command of a shard
}
# File -> the preprocessor conditions it may hold in the core.
CONDITIONS = {}
# Files that may define macros besides include guards.
MACROS = ()
# Headers with nothing to run, declarations and constants only; and the system
# calls, which are tested against the kernel in tests/.
WITHOUT_TEST = {
    "tcpip/tun/tun_io.h",
    "tcpip/link/link.h",
    "tcpip/network/interface_id.h",
    "tcpip/stack/packet_tap.h",
    "tcpip/stack/config.h",
    "tcpip/stack/socket_options.h",
    "tcpip/stack/stack_timer.h",
    f"{TCP}/config.h",
    f"{TCP}/tcb.h",
}

UNIT_LINES, TEST_LINES, FUNCTION_LINES = 500, 600, 80
MEMBERS, BOOLS, METHODS = 15, 2, 20

# What only makes sense on one developer's machine. (?:) keeps this file clean.
PRIVATE_WORDS = re.compile(
    r"(?<![\w.])/(?:work|root|home/\w+)/|\.\./(?:shared)\b|"
    r"\b(?:house|faults|requirements)(?:\.md)\b")

SOURCE = (".h", ".cc")
TEXT = SOURCE + (".py", ".sh", ".bzl", ".proto", ".md", ".toml", ".pkt", ".yml",
                 "BUILD", "WORKSPACE", "runtests", "quickstart", ".ci/run",
                 ".bazelrc", "tools/check", "tools/bazel")

# --- The tree ---------------------------------------------------------------


class File:
    """One file, with its text prepared once for all rules."""

    def __init__(self, path, text):
        self.path = path
        self.text = text
        self.lines = text.splitlines()
        self.folder = os.path.dirname(path)
        stem, self.extension = os.path.splitext(path)
        self.is_source = self.extension in SOURCE
        self.is_header = self.extension == ".h"
        self.is_test = bool(re.search(r"_(?:test|benchmark|fuzz)$", stem))
        self.unit = re.sub(r"_(?:test|benchmark|fuzz)$", "", stem)
        self.includes = []  # (line, path), in order
        self.code = ""
        if self.is_source:
            self.code = cpp_scan.blank(text)
            literal = cpp_scan.blank(text, keep_literals=True)
            for number, line in enumerate(literal.splitlines(), 1):
                match = re.match(r'\s*#\s*include\s*[<"]([^>"]+)[>"]', line)
                if match:
                    self.includes.append((number, match.group(1)))

    def code_matches(self, pattern):
        for match in re.finditer(pattern, self.code):
            yield cpp_scan.line_of(self.code, match.start()), match.group()


def in_places(path, places):
    stem = os.path.splitext(path)[0]
    own = re.sub(r"_(?:test|benchmark)$", "", stem)
    return any(path == place or own == place or path.startswith(place + "/")
               for place in places)


class Tree:

    def __init__(self, root):
        self.files = {}
        for folder, names, files in os.walk(root):
            names[:] = sorted(
                name for name in names
                if not name.startswith(("bazel-", "__")) and (
                    not name.startswith(".") or name == ".ci"))
            for name in sorted(files):
                path = os.path.relpath(os.path.join(folder, name), root)
                if path.endswith(TEXT):
                    with open(os.path.join(root, path), encoding="utf-8",
                              errors="replace") as file:
                        self.files[path] = File(path, file.read())

    def sources(self):
        return [file for file in self.files.values() if file.is_source]


# --- The rules --------------------------------------------------------------

RULES = {}  # name -> (one line of explanation, check over one file)


def rule(name, explanation):

    def register(check):
        RULES[name] = (explanation, check)
        return check

    return register


@rule("layers", "includes point down only, as the table of layers says")
def check_layers(tree, file):
    allowed = LAYERS.get(file.folder)
    if allowed is None or not file.is_source:
        return
    if file.is_test:
        subject = tree.files.get(file.unit + ".h")
        allowed += tuple(
            path for _, path in (subject.includes if subject else ()))
    if file.is_test or file.unit.endswith("_fixture"):
        allowed += TEST_EXTRA
    for line, path in file.includes:
        folder = os.path.dirname(path)
        ours = folder in LAYERS or folder.split("/")[0] in (
            "tcpip", "service", "client", "cmd", "tests", "emulator",
            "conformance", "proxy", "examples", "bench")
        if ours and folder != file.folder and not (
                folder in allowed or path in allowed):
            yield line, f"{file.folder} may not include {path}"


def _register_places():
    for name, (subject, pattern, places, why) in PLACES.items():

        def check(_, file, name=name, subject=subject, pattern=pattern,
                  places=places, why=why):
            if (not file.is_source or in_places(file.path, places)
                    or name == "core-std" and file.is_test):
                return
            if subject == "include":
                for line, path in file.includes:
                    if re.match(pattern, path):
                        yield line, f"<{path}>: {why}"
                return
            for line, text in file.code_matches(pattern):
                yield line, f"{text.strip()}: {why}"

        RULES[name] = (why, check)


_register_places()


@rule("length", f"a unit has at most {UNIT_LINES} lines, header and source "
      f"together; a test {TEST_LINES}")
def check_length(tree, file):
    if file.extension not in SOURCE + (".py",):
        return
    cap = TEST_LINES if file.is_test else UNIT_LINES
    count = len(file.lines)
    if file.extension == ".cc" and not file.is_test:
        header = tree.files.get(file.unit + ".h")
        count += len(header.lines) if header else 0
    if count > cap:
        yield 1, f"{count} lines, at most {cap}"


@rule("function", f"a function has at most {FUNCTION_LINES} lines")
def check_function(_, file):
    for block in cpp_scan.functions(file.code):
        first = cpp_scan.line_of(file.code, block.start)
        count = cpp_scan.line_of(file.code, block.end) - first + 1
        statements = file.code.count(";", block.start, block.end)
        if count > FUNCTION_LINES and statements > 1:  # one: it is a table
            yield first, f"{count} lines, at most {FUNCTION_LINES}"


@rule("class", f"a class has at most {MEMBERS} data members, in the core "
      f"{BOOLS} of them bool, and {METHODS} public methods")
def check_class(_, file):
    for found in cpp_scan.classes(file.code):
        line = cpp_scan.line_of(file.code, found.start)
        for count, cap, what in (
                (len(found.members), MEMBERS, "data members"),
                (file.path.startswith("tcpip/") and len(found.bools), BOOLS,
                 "bool members: are they one enum?"),
                (len(found.methods), METHODS, "public methods")):
            if what == "public methods" and FACADES.get(
                    file.path) == found.name:
                continue
            if count > cap:
                yield line, f"{found.name} has {count} {what}, at most {cap}"


@rule("friend", "friends are operators, AbslHashValue and the table's few")
def check_friend(_, file):
    for line, text in file.code_matches(r"\bfriend\b[^;{]*"):
        listed = FRIENDS.get(file.path)
        if not re.search(r"\boperator\b|\bAbslHashValue\b", text) and not (
                listed and re.search(listed, text)):
            yield line, f"{' '.join(text.split())}"


@rule("using-namespace", "no using-directives")
def check_using(_, file):
    for line, _ in file.code_matches(r"\busing\s+namespace\b"):
        yield line, "name what you use"


@rule("condition", "no conditional compilation in the core")
def check_condition(_, file):
    if not file.path.startswith("tcpip/"):
        return
    for line, text in file.code_matches(r"(?m)^[ \t]*#\s*(?:el)?if\w*[^\n]*"):
        if file.is_header and text.strip() == f"#ifndef {guard_of(file.path)}":
            continue
        if text.strip() not in CONDITIONS.get(file.path, ()):
            yield line, f"{text.strip()}: make it data, or a unit of its own"


@rule("macro", "no macros besides include guards")
def check_macro(_, file):
    if file.path in MACROS:
        return
    for line, text in file.code_matches(r"(?m)^[ \t]*#\s*define\s+(\w+)"):
        if not (file.is_header and text.split()[-1] == guard_of(file.path)):
            yield line, f"{text.split()[-1]}: use a function or a constant"


def guard_of(path):
    return re.sub(r"\W", "_", path).upper() + "_"


@rule("guard", "include guards are the path: TCPIP_BASE_TIME_H_")
def check_guard(_, file):
    if not file.is_header:
        return
    guard = guard_of(file.path)
    for needed in (f"#ifndef {guard}", f"#define {guard}", f"#endif  // {guard}"):
        if needed not in file.lines:
            yield 1, f"needs the line {needed}"


@rule("banner", "a header starts by saying what it is")
def check_banner(_, file):
    if file.is_header and not file.text.startswith("// "):
        yield 1, "say what this is, its RFC, who calls it, what it leaves out"


@rule("own-header", "a .cc file and a test include their own header first")
def check_own_header(tree, file):
    header = file.unit + ".h"
    if (file.extension != ".cc" or file.unit.endswith("_benchmark")
            or file.path.endswith(("_benchmark.cc", "_fuzz.cc"))
            or header not in tree.files):
        return
    if not file.includes or file.includes[0][1] != header:
        yield (file.includes[0][0] if file.includes else 1,
               f'the first include must be "{header}"')


@rule("tested", "every unit of tcpip/ has a test that includes it first; fakes "
      "and fixtures are tested by their use")
def check_tested(tree, file):
    if (not file.is_header or not file.path.startswith("tcpip/")
            or file.path in WITHOUT_TEST
            or re.search(r"/fake_|_fixture\.h$", file.path)):
        return
    # A long test is split by regime: cubic_test, cubic_slow_start_test, ...
    tests = [other for path, other in tree.files.items()
             if re.fullmatch(re.escape(file.unit) + r"(?:_\w+)?_test\.cc", path)
             and other.includes and other.includes[0][1] == file.path]
    if not tests:
        yield 1, f"no {os.path.basename(file.unit)}_test.cc includes it first"


@rule("todo", "a TODO names its owner and its issue: TODO(name): what, #7")
def check_todo(_, file):
    if file.extension == ".md" or file.path.startswith("tools/house_rules"):
        return
    for number, line in enumerate(file.lines, 1):
        for match in re.finditer(r"\b(?:TODO|FIXME|HACK|XXX)\b", line):
            if not re.match(r"TODO\([\w-]+\): .*#[0-9]+", line[match.start():]):
                yield number, line.strip()


@rule("citation", "tags read [RFC 9293 3.10.7.4 MUST-8], [req A-33], [fault W04]")
def check_citation(_, file):
    if not file.is_source and file.extension not in (".proto", ".pkt"):
        return
    for line, text, parsed in citations.find_tags(file.text):
        if parsed is None:
            yield line, f"[{text}"


@rule("name", "no Manager, Helper, Util, Impl, Base or Common")
def check_name(_, file):
    if not file.is_source:
        return
    bad = r"(?:manager|helpers?|utils?|impl|common)"
    if re.search(rf"(?:^|[_/]){bad}$", file.unit):
        yield 1, f"{os.path.basename(file.path)} says nothing"
    for line, text in file.code_matches(
            r"\b(?:class|struct)\s+\w+(?:Manager|Helper|Util|Impl|Base|Common)"
            r"\b(?=[^;]*\{)"):
        yield line, f"{text.split()[-1]} says nothing"


@rule("private", "nothing that only makes sense on one developer's machine")
def check_private(_, file):
    for number, line in enumerate(file.lines, 1):
        match = PRIVATE_WORDS.search(line)
        if match:
            yield number, match.group()


def check(tree):
    """Yields (path, line, rule, message), sorted."""
    found = []
    for path, file in tree.files.items():
        for name, (_, run) in RULES.items():
            for line, message in run(tree, file) or ():
                found.append((path, line, name, message))
    return sorted(found)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--list", action="store_true", help="print the rules")
    parser.add_argument("--root", default=os.path.join(
        os.path.dirname(os.path.abspath(__file__)), ".."))
    args = parser.parse_args()
    if args.list:
        for name, (explanation, _) in RULES.items():
            print(f"{name:16} {explanation}")
        return 0
    found = check(Tree(args.root))
    for path, line, name, message in found:
        print(f"{path}:{line}: {name}: {message}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
