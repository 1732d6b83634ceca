#include "conformance/evaluator.h"

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "gtest/gtest.h"

namespace conformance {
namespace {

const InfoFields& Fields() {
  static const InfoFields fields = {{"tcpi_snd_cwnd", 9},
                                    {"tcpi_state", 1},
                                    {"tcpi_ca_state", 3},
                                    {"tcpi_options", 5},
                                    {"tcpi_rtt", 100'000}};
  return fields;
}

// "" when it passes, the message when it does not, the status in brackets when
// nobody can tell.
std::string Outcome(std::string_view code, Variables& variables) {
  const absl::StatusOr<CodeOutcome> outcome =
      Evaluate(code, Fields(), variables);
  if (!outcome.ok()) {
    return "[" + std::string(outcome.status().message()) + "]";
  }
  EXPECT_EQ(outcome->passed, outcome->message.empty()) << code;
  return outcome->message;
}
std::string Outcome(std::string_view code) {
  Variables variables;
  return Outcome(code, variables);
}

TEST(Evaluator, WhatScriptsSay) {
  for (const char* code : {
           "",
           " assert tcpi_snd_cwnd == 9, tcpi_snd_cwnd ",
           "assert (tcpi_options & TCPI_OPT_TIMESTAMPS) != 0, tcpi_options",
           "assert tcpi_state == TCP_ESTABLISHED, tcpi_state; \\\n"
           "    assert tcpi_ca_state == TCP_CA_Recovery, tcpi_ca_state",
           "\nassert tcpi_state == TCPS_ESTABLISHED\n"
           "assert 90000 <= tcpi_rtt < 110000, 'rtt %d' % tcpi_rtt\n",
           "assert (tcpi_snd_cwnd == 9 and\n"
           "        tcpi_rtt == 100000)  # both\n",
           "print tcpi_rtt; print(tcpi_rtt,\n \"%d\" % 1)",
           "pass",
           "want = 4 + 5\nassert tcpi_snd_cwnd == want",
           "assert True; assert not False",
       }) {
    EXPECT_EQ(Outcome(code), "") << code;
  }
}

TEST(Evaluator, AFailureShowsTheExpressionAndItsValues) {
  struct {
    const char* code;
    const char* message;
  } const kCases[] = {
      {"assert tcpi_snd_cwnd == 10, tcpi_snd_cwnd",
       "assert tcpi_snd_cwnd == 10: tcpi_snd_cwnd is 9"},
      {"assert (tcpi_snd_cwnd\n  > tcpi_rtt)",
       "assert (tcpi_snd_cwnd > tcpi_rtt): tcpi_snd_cwnd is 9, tcpi_rtt is "
       "100000"},
      {"assert tcpi_state != TCP_ESTABLISHED and tcpi_rtt",
       "assert tcpi_state != TCP_ESTABLISHED and tcpi_rtt: tcpi_state is 1"},
      {"assert tcpi_state + tcpi_state == 3",
       "assert tcpi_state + tcpi_state == 3: tcpi_state is 1"},
      {"n = 2; assert n == 3", "assert n == 3: n is 2"},
      {"assert 1 == 2", "assert 1 == 2"},
      {"assert 0", "assert 0"},
      {"assert tcpi_rtt == 1; assert unknown",
       "assert tcpi_rtt == 1: tcpi_rtt is 100000"},
  };
  for (const auto& c : kCases) EXPECT_EQ(Outcome(c.code), c.message);
}

TEST(Evaluator, ExpressionsBindAsInPython) {
  const std::pair<const char*, int64_t> kCases[] = {
      {"1 + 2 * 3", 7},     {"(1 + 2) * 3", 9},    {"10 - 3 - 2", 5},
      {"1 | 6 ^ 4 & 5", 3}, {"1 << 2 + 1", 8},     {"-7 // 2", -4},
      {"-7 % 3", 2},        {"- -3 + ~0 + +1", 3}, {"1 < 2 < 3", 1},
      {"1 < 3 < 2", 0},     {"3 > 2 != 1", 1},     {"2 and 3", 3},
      {"0 and 3", 0},       {"0 or 3", 3},         {"2 or 3", 2},
      {"1 or 0 and 0", 1},  {"not 0 == 1", 1},     {"not not 5", 1},
      {"1 & 3 == 1", 1},    {"min(3, 1, 2)", 1},   {"max(3, 1, 2)", 3},
      {"abs(2 - 5)", 3},    {"0xff", 255},         {"True + True", 2},
      {"TCP_CA_Loss", 4},
  };
  for (const auto& [expression, value] : kCases) {
    Variables variables;
    EXPECT_EQ(Outcome(std::string("x = ") + expression, variables), "")
        << expression;
    EXPECT_EQ(variables["x"], value) << expression;
  }
}

TEST(Evaluator, VariablesLastOverAScript) {
  Variables variables;
  EXPECT_EQ(Outcome("before = tcpi_rtt", variables), "");
  EXPECT_EQ(Outcome("assert before == 100000; before = before + 1", variables),
            "");
  EXPECT_EQ(variables["before"], 100'001);
}

TEST(Evaluator, AnUnneededOperandMayHaveNoValue) {
  EXPECT_EQ(Outcome("assert 1 or 1 // 0"), "");
  EXPECT_EQ(Outcome("assert 1 or tcpi_unknown == 2"), "");
  EXPECT_EQ(Outcome("assert not (0 and (1 or -tcpi_unknown) and 1 << 99)"), "");
  EXPECT_EQ(Outcome("assert 0 or 1 // 0"),
            "[code: no 64-bit result of 1 // 0]");
  EXPECT_EQ(Outcome("assert (1 or 1 // 0) and 2 // 0"),
            "[code: no 64-bit result of 2 // 0]");
}

TEST(Evaluator, WhatIsNotKnownIsSaidToBe) {
  const std::pair<const char*, const char*> kCases[] = {
      {"assert unknown == 1", "'unknown' is not known"},
      {"assert len(1)", "'len()' is not known"},
      {"assert abs(1, 2)", "'abs()' is not known"},
      {"import os", "'import' is not understood there"},
      {"if tcpi_rtt: pass", "'if' is not understood there"},
      {"x += 1", "'x' is not understood there"},
      {"x = 1 2", "'2' is not understood there"},
      {"x = 1.5", "'1.5' is not understood there"},
      {"x = 1 / 2", "'/' is not understood there"},
      {"x = 2 ** 2", "'**' is not understood there"},
      {"x = 'a'", "''a'' is not understood there"},
      {"x =", "an early end is not understood there"},
      {"x = 1 +\n2", "the end of a line is not understood there"},
      {"x = (1", "an early end is not understood there"},
      {"x = min()", "')' is not understood there"},
      {"x = 99999999999999999999",
       "'99999999999999999999' is not understood there"},
      {"assert", "an early end is not understood there"},
  };
  for (const auto& [code, message] : kCases) {
    Variables variables;
    EXPECT_EQ(Outcome(code, variables), std::string("[") + message + "]")
        << code;
    EXPECT_TRUE(variables.empty()) << code;
    EXPECT_EQ(Evaluate(code, Fields(), variables).status().code(),
              absl::StatusCode::kUnimplemented);
  }
  Variables variables;
  EXPECT_EQ(
      Evaluate("x = -9223372036854775807 - 2", {}, variables).status().code(),
      absl::StatusCode::kFailedPrecondition);
}

TEST(Evaluator, AFieldThatNobodyReportsIsToldFromABadName) {
  Variables variables;
  EXPECT_EQ(Evaluate("assert tcpi_unknown == 1", Fields(), variables).status(),
            absl::NotFoundError("'tcpi_unknown' is not known"));
}

TEST(Evaluator, NestingIsLimited) {
  for (const char* open : {"(", "-", "~", "min(", "not (", "1 or ("}) {
    std::string code = "x = ";
    for (int i = 0; i < 100'000; ++i) code += open;
    EXPECT_EQ(Outcome(code), "[it is nested too deeply]") << open;
  }
  EXPECT_EQ(Outcome("x = ((((((((((((((((1))))))))))))))))"), "");
}

TEST(Evaluator, AMessageStaysShort) {
  std::string code;
  std::string sum = "0";
  for (int i = 0; i < 1000; ++i) {
    const std::string name = "v" + std::to_string(i);
    code += name + " = 0\n";
    sum += " + " + name;
  }
  const std::string message = Outcome(code + "assert " + sum);
  EXPECT_NE(message.find("v15 is 0"), message.npos);
  EXPECT_EQ(message.find("v16 is 0"), message.npos);
}

}  // namespace
}  // namespace conformance
