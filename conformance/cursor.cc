#include "conformance/cursor.h"

#include <algorithm>
#include <charconv>
#include <system_error>

#include "conformance/ascii.h"

namespace conformance {
namespace {

using Kind = Token::Kind;

// Sums of a few such times are far from the end of Duration.
constexpr int64_t kMaxSeconds = 10'000'000;
constexpr size_t kNanosecondDigits = 9;

// Digits only; false when the number is too large.
template <class T>
bool ParseDigits(std::string_view digits, int base, T& number) {
  const char* const end = digits.data() + digits.size();
  const auto [rest, error] = std::from_chars(digits.data(), end, number, base);
  return error == std::errc() && rest == end;
}

// Digits with at most one point among them, as the lexer promises.
std::optional<tcpip::Duration> ParseSeconds(std::string_view text) {
  const size_t point = std::min(text.find('.'), text.size());
  std::string whole(text.substr(0, point));
  if (whole.empty()) whole = "0";  // ".5"
  std::string fraction(text.substr(std::min(point + 1, text.size())));
  if (fraction.size() > kNanosecondDigits) return std::nullopt;
  fraction.resize(kNanosecondDigits, '0');
  int64_t seconds = 0;
  int64_t nanoseconds = 0;
  if (!ParseDigits(whole, 10, seconds) || seconds > kMaxSeconds ||
      !ParseDigits(fraction, 10, nanoseconds)) {
    return std::nullopt;
  }
  return tcpip::Duration::Seconds(seconds) +
         tcpip::Duration::Nanoseconds(nanoseconds);
}

}  // namespace

bool Cursor::At(char punctuation) const {
  return At(Kind::kPunctuation) && token_.text[0] == punctuation;
}

bool Cursor::AtWord(std::string_view word) const {
  return At(Kind::kWord) && token_.text == word;
}

Token Cursor::Take() {
  const Token taken = token_;
  Advance();
  return taken;
}

bool Cursor::Accept(Kind kind) {
  if (!At(kind)) return false;
  Advance();
  return true;
}

bool Cursor::Accept(char punctuation) {
  if (!At(punctuation)) return false;
  Advance();
  return true;
}

bool Cursor::AcceptWord(std::string_view word) {
  if (!AtWord(word)) return false;
  Advance();
  return true;
}

bool Cursor::Expect(char punctuation) {
  return Accept(punctuation) || Fail(std::string("'") + punctuation + "'");
}

bool Cursor::ExpectWord(std::string_view word) {
  return AcceptWord(word) || Fail("'" + std::string(word) + "'");
}

bool Cursor::Unsigned(uint64_t max, uint64_t& number) {
  if (!At(Kind::kInteger)) return Fail("a number");
  std::string_view digits = token_.text;
  const bool hex = digits.starts_with("0x");
  if (hex) digits.remove_prefix(2);
  if (!ParseDigits(digits, hex ? 16 : 10, number) || number > max) {
    return Fail("a number up to " + std::to_string(max));
  }
  Advance();
  return true;
}

bool Cursor::Seconds(tcpip::Duration& time) {
  if (!At(Kind::kInteger) && !At(Kind::kDecimal)) {
    return Fail("a time in seconds, such as 0.25");
  }
  const std::optional<tcpip::Duration> parsed = ParseSeconds(token_.text);
  if (!parsed) {
    return Fail("a time of at most " + std::to_string(kMaxSeconds) +
                " seconds and nine decimals");
  }
  time = *parsed;
  Advance();
  return true;
}

bool Cursor::Parenthesized(std::string& text) {
  if (!At('(')) return Fail("'('");
  token_ = lexer_.TextToParenthesis();
  if (!At(Kind::kString)) return Fail("a note");
  text = SqueezeBlanks(token_.text);
  Advance();
  return true;
}

bool Cursor::Fail(std::string_view expected) {
  return Fail(expected, Describe(token_));
}

bool Cursor::Fail(std::string_view expected, std::string_view found) {
  return FailAt(token_.line, expected, found);
}

bool Cursor::FailAt(int line, std::string_view expected,
                    std::string_view found) {
  if (!error_.empty()) return false;
  if (At(Kind::kBad)) {
    error_ = std::to_string(token_.line) + ": ";
    error_ += token_.text;
    return false;
  }
  error_ = std::to_string(line) + ": expected ";
  ((error_ += expected) += ", found ") += found;
  return false;
}

}  // namespace conformance
