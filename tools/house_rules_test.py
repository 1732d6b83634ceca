#!/usr/bin/env python3
"""Tests of house_rules.py: for every rule a sample that breaks it and one that
keeps it. python3 tools/house_rules_test.py"""

import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import citations  # noqa: E402
import cpp_scan  # noqa: E402
import house_rules  # noqa: E402
import py_cases  # noqa: E402


def header(path, body, includes=()):
    """A header that keeps all rules but those `body` breaks."""
    guard = house_rules.guard_of(path)
    lines = ["// What it is, and its RFC.", "// What it leaves out.",
             f"#ifndef {guard}", f"#define {guard}"]
    lines += [f"#include {name}" for name in includes]
    return "\n".join(lines + [body, f"#endif  // {guard}", ""])


def lines(count):
    return "int a;\n" * count


def function(count):
    return "void F() {\n" + "  G();\n" * (count - 2) + "}\n"


def members(count, kind="int"):
    return "class C {\n public:\n  C();\n\n private:\n" + "".join(
        f"  {kind} m{i}_ = 0;\n" for i in range(count)) + "};\n"


def methods(count):
    return "class C {\n public:\n  C();\n  int size() const;\n" + "".join(
        f"  void M{i}(int a);\n" for i in range(count)) + (
            "\n private:\n  void Hidden();\n};\n")


A = "tcpip/base/a.h"
CC = "tcpip/base/a.cc"
TEST = "tcpip/base/a_test.cc"
OWN = '#include "tcpip/base/a.h"\n'
RECOVERY = "tcpip/transport/tcp/recovery/r.cc"

# rule -> (samples that break it, samples that keep it). A sample is one file,
# or several; the rule must report at least one line in the first.
SAMPLES = {
    "layers": (
        [("tcpip/wire/a.cc", '#include "tcpip/buffer/view.h"\n'),
         ("tcpip/base/a.cc", '#include "tcpip/wire/tcp.h"\n'),
         (RECOVERY, '#include "tcpip/transport/tcp/segment.h"\n'),
         (RECOVERY, '#include "tcpip/transport/tcp/congestion/reno.h"\n'),
         ("tcpip/stack/a.cc", '#include "tcpip/link/loopback.h"\n'),
         ("tcpip/wire/a_test.cc", '#include "tcpip/buffer/view.h"\n'),
         ("tcpip/wire/a_fixture.cc", '#include "tcpip/buffer/view.h"\n'),
         ("tcpip/wire/a.cc", '#include "tcpip/testing/golden.h"\n')],
        [("tcpip/buffer/a.cc", '#include "tcpip/base/time.h"\n'),
         (RECOVERY, '#include "tcpip/transport/tcp/seq.h"\n'),
         ("tcpip/stack/a.cc", '#include "tcpip/link/link.h"\n'),
         ("tcpip/wire/a_test.cc", '#include "tcpip/testing/golden.h"\n'),
         ("tcpip/wire/a_fixture.cc", '#include "tcpip/testing/golden.h"\n'),
         ("cmd/main.cc", '#include "tcpip/shard/shard.h"\n'),
         ("tcpip/wire/a.cc", '// #include "tcpip/buffer/view.h"\n')]),
    "protobuf": (
        [("tcpip/shard/a.cc", "#include <grpcpp/grpcpp.h>\n"),
         ("tcpip/stack/a.cc", '#include "service/netstack.pb.h"\n')],
        [("service/a.cc", "#include <google/protobuf/any.pb.h>\n")]),
    "os": (
        [("tcpip/link/a.cc", "#include <sys/socket.h>\n"),
         ("tcpip/stack/a.cc", "#include <unistd.h>\n")],
        [("tcpip/tun/a.cc", "#include <linux/if_tun.h>\n"),
         ("tests/tun/a.cc", "#include <poll.h>\n")]),
    "threads": (
        [("tcpip/tun/a.cc", "#include <thread>\n"),
         ("tcpip/buffer/a.h", header("tcpip/buffer/a.h", "", ["<atomic>"]))],
        [("tcpip/shard/a.cc", "#include <mutex>\n")]),
    "clock": (
        [("tcpip/stack/a.cc", "auto t = std::chrono::steady_clock::now();\n"),
         ("tcpip/shard/shard.cc", "clock_gettime(CLOCK_MONOTONIC, &t);\n"),
         ("tcpip/base/a_test.cc", "std::this_thread::sleep_for(x);\n")],
        [("tcpip/shard/host.cc", "clock_gettime(CLOCK_MONOTONIC, &t);\n"),
         ("tcpip/shard/host_test.cc", "clock_gettime(CLOCK_MONOTONIC, &t);\n"),
         ("tcpip/stack/a.cc", "// never clock_gettime()\n")]),
    "entropy": (
        [("tcpip/shard/shard.cc", "std::random_device d;\n"),
         ("cmd/main.cc", "srand(1);\n")],
        [("tcpip/shard/host.cc", "getrandom(p, n, 0);\n"),
         ("tcpip/stack/a.cc", "uint64_t operand(int);\n")]),
    "core-std": (
        [("tcpip/stack/a.cc", "#include <chrono>\n")],
        [("service/a.cc", "#include <chrono>\n"),
         ("tcpip/stack/a_test.cc", "#include <fstream>\n"),
         ("tcpip/stack/a.cc", "#include <charconv>\n")]),
    "language": (
        [(CC, "void F() { throw 1; }\n"), ("service/a.cc", "catch (...) {}\n")],
        [(CC, 'const char* k = "throw";\n')]),
    "old-tools": (
        [("cmd/a.cc", "#include <format>\n"),
         (CC, "#include <absl/log/log.h>\n")],
        [(CC, "#include <absl/strings/str_format.h>\n")]),
    "pragma-once": ([(A, "#pragma once\n")], [(A, header(A, ""))]),
    "length": (
        [(CC, lines(501)), (TEST, lines(601)), ("tools/a.py", lines(501)),
         [(A, lines(300)), (CC, lines(201))]],
        [(CC, lines(500)), (TEST, lines(600)),
         [(A, lines(300)), (CC, lines(200)), (TEST, lines(600))]]),
    "function": (
        [(CC, function(81)),
         (CC, "C::C(int a) : a_{a} {\n" + lines(80) + "}\n"),
         (CC, "TEST(A, B) {\n" + lines(80) + "}\n")],
        [(CC, function(80)),
         (CC, "const Case kCases[] = {\n" + "  {1, 2},\n" * 100 + "};\n"),
         (CC, "Rows R() {\n  return {\n" + "  {1},\n" * 100 + "  };\n}\n"),
         (A, "class C {\n" + "  void F() {}\n" * 100 + "};\n"),
         (CC, "namespace a {\n" + lines(100) + "}\n")]),
    "class": (
        [(A, members(16)), (A, members(3, "bool")), (A, methods(21))],
        [(A, members(15)), (A, members(2, "bool")),
         ("client/a.h", members(3, "bool")), (A, methods(20)),
         ("tcpip/stack/stack.h", methods(40).replace("C", "Stack"))]),
    "friend": (
        [(A, "class A { friend class B; };\n"),
         (TEST, "class A { friend class ATest; };\n")],
        [(A, "friend bool operator==(A, A) = default;\n"),
         (A, "friend H AbslHashValue(H h, A a) {}\n"),
         ("tcpip/base/intrusive_list.h", "friend class IntrusiveList<T>;\n")]),
    "using-namespace": (
        [(TEST, "using namespace std;\n")],
        [(CC, "using tcpip::View;\n"), (CC, "// using namespace std\n")]),
    "condition": (
        [(CC, "#if defined(__SSE2__)\n#endif\n"),
         (A, header(A, "#ifdef NDEBUG\n#endif"))],
        [(A, header(A, "")), ("cmd/a.cc", "#ifdef NDEBUG\n#endif\n")]),
    "macro": (
        [(CC, "#define MAX(a, b) 1\n"), (A, header(A, "#define X 1"))],
        [(A, header(A, ""))]),
    "guard": (
        [(A, header(A, "").replace("BASE_A_H_", "A_H")),
         (A, header(A, "").replace("#endif  // TCPIP_BASE_A_H_", "#endif"))],
        [(A, header(A, "")), (CC, "int a;\n")]),
    "banner": (
        [(A, "#ifndef A\n"), (A, "#ifndef A\n#define A\n// Late.\n")],
        [(A, header(A, "")), (A, "// What.\n//\n// Why.\n#ifndef A\n")]),
    "own-header": (
        [[(A, ""), (CC, "#include <span>\n" + OWN)],
         [(A, ""), (TEST, "#include <gtest/gtest.h>\n" + OWN)]],
        [[(A, ""), (CC, "// Why.\n" + OWN)], [(CC, "#include <span>\n")],
         [(A, ""), ("tcpip/base/a_benchmark.cc", "#include <span>\n")]]),
    "tested": (
        [(A, ""), [(A, ""), (TEST, "#include <span>\n" + OWN)]],
        [[(A, ""), (TEST, OWN)], ("cmd/a.h", ""),
         [(A, ""), ("tcpip/base/a_slow_start_test.cc", OWN)],
         ("tcpip/link/link.h", ""), ("tcpip/tun/fake_tun.h", ""),
         ("tcpip/stack/stack_fixture.h", "")]),
    "todo": (
        [(CC, "// TODO: more\n"), (CC, "// TODO(ann): more\n"),
         ("tools/a.sh", "# FIXME\n")],
        [(CC, "// TODO(ann): IPv6 as well, #12\n"),
         (CC, 'const char* k = "/tmp/XXXXXX";\n')]),
    "citation": (
        [(CC, "// [RFC 9293] no section\n"), (CC, "// [rfc 9293 3.1]\n"),
         (CC, "// [RFC9293 3.1]\n"), (CC, "// [RFC 9293 3.1 MUST 8]\n"),
         (CC, "// [req A33]\n"), (CC, "// [fault W-04]\n"),
         (CC, "// [RFC 9293\n// 3.1]\n")],
        [(CC, "// [RFC 9293 3.10.7.4 MUST-8] why\n"),
         (CC, "// [RFC 9293 3.6.1, RFC 2525 2.17] [req A-33, A-34]\n"),
         (CC, "// [RFC 1122 3.2.1.8(c)] [RFC 7323 5.3 R1] [RFC 792]\n"),
         (CC, "// [RFC 8985 7.2, 7.3] [fault W04] [RFC 793 A.1 SHLD]\n"),
         (CC, "int a[4]; // [0, 1]\n")]),
    "name": (
        [("tcpip/base/string_util.h", ""), (A, "class TimerManager {};\n")],
        [("tcpip/base/utilization.h", ""), (A, "class Timers {};\n")]),
    "private": (
        [("README.md", "see /work" + "/main\n"),
         (CC, "// see house" + ".md 5b\n"), ("a.sh", "cd /home" + "/ann/x\n")],
        [("README.md", "see work/main and the house\n"),
         ("a.sh", 'cd "$HOME"\n')]),
}


class Rules(unittest.TestCase):

    def reports(self, rule, sample):
        with tempfile.TemporaryDirectory() as root:
            for path, text in [sample] if isinstance(sample, tuple) else sample:
                whole = os.path.join(root, path)
                os.makedirs(os.path.dirname(whole), exist_ok=True)
                with open(whole, "w", encoding="utf-8") as file:
                    file.write(text)
            found = house_rules.check(house_rules.Tree(root))
        return [report for report in found if report[2] == rule]

    def test_every_rule_has_samples(self):
        self.assertEqual(sorted(SAMPLES), sorted(house_rules.RULES))

    def test_a_report_names_file_line_and_rule(self):
        self.assertEqual(
            self.reports("using-namespace", (CC, "\n\nusing namespace std;\n")),
            [(CC, 3, "using-namespace", "name what you use")])

    def test_generated_and_hidden_folders_are_not_read(self):
        for folder in ("bazel-out", ".git"):
            self.assertEqual(
                self.reports("using-namespace",
                             (f"{folder}/a.cc", "using namespace std;\n")), [])


def _add_sample_tests():
    for rule, kinds in SAMPLES.items():

        def breaks(self, rule=rule, samples=kinds[0]):
            for sample in samples:
                self.assertTrue(self.reports(rule, sample), sample)

        def keeps(self, rule=rule, samples=kinds[1]):
            for sample in samples:
                self.assertEqual(self.reports(rule, sample), [], sample)

        name = rule.replace("-", "_")
        setattr(Rules, f"test_{name}_is_reported", breaks)
        setattr(Rules, f"test_{name}_is_content_with_clean_code", keeps)


_add_sample_tests()


class Scan(unittest.TestCase):

    def test_literals_and_comments_are_blank_and_lines_stay(self):
        code = cpp_scan.blank('a /* {\n} */ "\\"{" \'{\' R"x({)x" 1\'000 // {')
        self.assertNotIn("{", code)
        self.assertEqual(code.count("\n"), 1)
        self.assertIn("1'000", code)

    def test_members_and_methods_of_a_class(self):
        found, = cpp_scan.classes(cpp_scan.blank("""
            class Ring final : public Base<int> {
             public:
              explicit Ring(int a) : a_(a) { Use({1}); }
              ~Ring();
              template <typename T> void Put(T t) { if (t) { Use(t); } }
              bool IsEmpty() const { return a_ == 0; }
              friend bool operator==(const Ring&, const Ring&) = default;
              static int Count();
              enum class Kind { kA, kB };
             private:
              struct Slot { int x; };
              void Hidden();
              std::function<void(int)> on_put_;
              std::array<Slot, 4> slots_{};
              int a_ = 0, b_ = 1;
              char raw_[kSize];
              bool full_ : 1;
              static constexpr int kSize_ = 3;
            };"""))[:1]
        self.assertEqual(found.name, "Ring")
        self.assertEqual(found.members,
                         ["on_put_", "slots_", "a_", "b_", "raw_", "full_"])
        self.assertEqual(found.bools, ["full_"])
        self.assertEqual(found.methods, ["Put", "IsEmpty"])


class Citations(unittest.TestCase):

    def test_lists_inherit_what_they_do_not_repeat(self):
        parsed = citations.parse_tag("RFC 8985 7.2 MUST-1 SHLD, 7.3, MAY-2, "
                                     "req A-33, A-34")
        self.assertEqual([str(citation) for citation in parsed],
                         ["RFC 8985 7.2 MUST-1", "RFC 8985 7.2 SHLD",
                          "RFC 8985 7.3", "RFC 8985 7.3 MAY-2",
                          "req A-33", "req A-34"])

    def test_there_is_nothing_to_inherit_at_first(self):
        for text in ("RFC MUST-1", "RFC 3.1", "MUST-1", "req A-33, RFC 3.1"):
            self.assertIsNone(citations.parse_tag(text), text)


if __name__ == "__main__":
    py_cases.main()
