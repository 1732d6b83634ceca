#include "conformance/code_tokens.h"

#include <string>

#include "gtest/gtest.h"

namespace conformance {
namespace {

// A letter for the kind and the text, with blanks between; "|" for a new line.
std::string Tokens(std::string_view code) {
  std::string all;
  for (const CodeToken& token : CodeTokens(code)) {
    if (token.kind == CodeToken::Kind::kEnd) return all;
    if (!all.empty()) all += ' ';
    if (token.kind == CodeToken::Kind::kNewline) {
      all += '|';
      continue;
    }
    all += "__inso"[static_cast<int>(token.kind)];
    all += token.text;
  }
  return all + "no end";
}

TEST(CodeTokens, Table) {
  struct {
    const char* code;
    const char* tokens;
  } const kCases[] = {
      {"", ""},
      {"assert tcpi_snd_cwnd == 10, tcpi_snd_cwnd",
       "nassert ntcpi_snd_cwnd o== i10 o, ntcpi_snd_cwnd"},
      {"a<=b<<2//0x1F", "na o<= nb o<< i2 o// i0x1F"},
      {"a = 1; b\n c # d\n", "na o= i1 | nb | nc |"},
      {"(a\n b)\n[\n]", "o( na nb o) | o[ o]"},
      {"a \\\n b", "na nb"},
      {"'it' \"a\\\"b\" 'x", "s'it' s\"a\\\"b\" o'x"},
      {"'a\\\nb", "o'a\\ | nb"},
      {"1.5 1e6 1_0 0x", "o1.5 o1e6 o1_0 o0x"},
      {"@\xff", "o@ o\xff"},
      {")))\na", "o) o) o) | na"},
      {"\\", "o\\"},
  };
  for (const auto& c : kCases) EXPECT_EQ(Tokens(c.code), c.tokens) << c.code;
}

}  // namespace
}  // namespace conformance
