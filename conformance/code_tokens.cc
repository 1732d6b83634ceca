#include "conformance/code_tokens.h"

#include <algorithm>
#include <cstddef>

#include "conformance/ascii.h"

namespace conformance {
namespace {

using Kind = CodeToken::Kind;

// Blanks, comments, continued lines; and ends of lines inside parentheses.
size_t GapLength(std::string_view text, bool in_parentheses) {
  size_t length = 0;
  while (length < text.size()) {
    const std::string_view rest = text.substr(length);
    if (rest.starts_with("\\\n")) {
      length += 2;
    } else if (rest[0] == '#') {
      length += std::min(rest.find('\n'), rest.size());
    } else if (IsSpace(rest[0]) && (rest[0] != '\n' || in_parentheses)) {
      ++length;
    } else {
      break;
    }
  }
  return length;
}

// One that does not end takes its line: to look for the end again from each
// quote in it would take the square of its length.
CodeToken StringToken(std::string_view text) {
  size_t i = 1;
  for (; i < text.size() && text[i] != '\n'; ++i) {
    if (text[i] == text[0]) return {Kind::kString, text.substr(0, i + 1)};
    if (text[i] == '\\' && i + 1 < text.size() && text[i + 1] != '\n') ++i;
  }
  return {Kind::kOperator, text.substr(0, i)};
}

CodeToken NumberToken(std::string_view text) {
  const bool hex = text.starts_with("0x") || text.starts_with("0X");
  const size_t prefix = hex ? 2 : 0;
  const size_t digits =
      LengthOf(hex ? IsHexDigit : IsDigit, text.substr(prefix));
  // 1.5, 1e6 and 1_000 are taken whole, to be refused whole.
  const size_t whole =
      LengthOf([](char c) { return IsWordPart(c) || c == '.'; }, text);
  const bool good = digits > 0 && prefix + digits == whole;
  return {good ? Kind::kInteger : Kind::kOperator, text.substr(0, whole)};
}

CodeToken OperatorToken(std::string_view text) {
  constexpr std::string_view kLong[] = {
      "==", "!=", "<=", ">=", "<<", ">>", "//", "**"};
  for (const std::string_view name : kLong) {
    if (text.starts_with(name)) return {Kind::kOperator, text.substr(0, 2)};
  }
  return {Kind::kOperator, text.substr(0, 1)};
}

CodeToken NextToken(std::string_view text) {
  const char first = text[0];
  if (first == '\n' || first == ';') return {Kind::kNewline, text.substr(0, 1)};
  if (IsWordStart(first)) {
    return {Kind::kName, text.substr(0, LengthOf(IsWordPart, text))};
  }
  if (IsDigit(first)) return NumberToken(text);
  if (first == '"' || first == '\'') return StringToken(text);
  return OperatorToken(text);
}

}  // namespace

std::vector<CodeToken> CodeTokens(std::string_view code) {
  std::vector<CodeToken> tokens;
  int open = 0;
  while (true) {
    code.remove_prefix(GapLength(code, open > 0));
    if (code.empty()) break;
    const CodeToken token = NextToken(code);
    if (token.text == "(" || token.text == "[") ++open;
    if (token.text == ")" || token.text == "]") --open;
    tokens.push_back(token);
    code.remove_prefix(token.text.size());
  }
  tokens.push_back({Kind::kEnd, code});
  return tokens;
}

}  // namespace conformance
