// Cursor: the token a parser stands at. Each method that wants something says
// whether it was there, so parsers are chains of &&; the first time it was not
// is the script's error.
//
// Used by the parsers of scripts, packets and calls.
#ifndef CONFORMANCE_CURSOR_H_
#define CONFORMANCE_CURSOR_H_

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "conformance/lexer.h"
#include "tcpip/base/time.h"

namespace conformance {

class Cursor {
 public:
  // The lexer's options and defines are settled. It outlives the cursor.
  explicit Cursor(Lexer& lexer) : lexer_(lexer) { Advance(); }

  const Token& token() const { return token_; }
  bool At(Token::Kind kind) const { return token_.kind == kind; }
  bool At(char punctuation) const;
  bool AtWord(std::string_view word) const;

  Token Take();
  // Takes it if it is there; not being there is no error.
  bool Accept(Token::Kind kind);
  bool Accept(char punctuation);
  bool AcceptWord(std::string_view word);

  bool Expect(char punctuation);
  bool ExpectWord(std::string_view word);
  // An integer of 0 to `max`.
  bool Unsigned(uint64_t max, uint64_t& number);
  // Seconds, with up to nine digits after the point.
  bool Seconds(tcpip::Duration& time);
  // "(any text)", blanks squeezed.
  bool Parenthesized(std::string& text);

  // An integer that fits.
  template <class T>
  bool Number(T& number) {
    uint64_t wide = 0;
    if (!Unsigned(std::numeric_limits<T>::max(), wide)) return false;
    number = static_cast<T>(wide);
    return true;
  }
  template <class T>
  bool Number(std::optional<T>& number) {
    return Number(number.emplace());
  }

  // False, always. What is found is the token, unless told.
  bool Fail(std::string_view expected);
  bool Fail(std::string_view expected, std::string_view found);
  bool FailAt(int line, std::string_view expected, std::string_view found);

  // "line: expected x, found y"; "" while all is well.
  const std::string& error() const { return error_; }

 private:
  void Advance() { token_ = lexer_.Next(); }

  Lexer& lexer_;
  Token token_;
  std::string error_;
};

}  // namespace conformance

#endif  // CONFORMANCE_CURSOR_H_
