// Tokens of a packet script, on demand, with their lines. Comments are gone,
// #ifdef is decided and defines are replaced before anybody sees a token.
//
// Used by Cursor only. Knows no grammar: what it cannot read is a token of kind
// kBad that says why, and any lone character is punctuation.
#ifndef CONFORMANCE_LEXER_H_
#define CONFORMANCE_LEXER_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace conformance {

// Its text lives as long as the script's text and the lexer.
struct Token {
  enum class Kind : uint8_t {
    kEnd,
    kInteger,      // 12, 0x1f; a sign is punctuation
    kDecimal,      // 1.5, .5; in flags ".5" is an ACK and an ACE digit
    kBytes,        // 3021b9d8: a digit first, then letters too
    kWord,         // AF_INET
    kString,       // "text", without quotes, escapes as they are
    kCommand,      // `text`
    kCode,         // %{ text }%
    kEllipsis,     // ...
    kPunctuation,  // one character
    kBad,          // text: "expected this, found that"
  };
  Kind kind = Kind::kEnd;
  std::string_view text;
  int line = 1;
  bool glued = false;  // follows the token before without a gap
};

class Lexer {
 public:
  // `platform` counts as a define for #ifdef, in any case of letters.
  Lexer(std::string_view script, std::string_view platform)
      : script_(script), platform_(platform) {}

  // "--name", "--name=value" or "-D value", which is an option named "define".
  // They stand before everything else: nullopt where the next text is no
  // option.
  struct Option {
    int line;
    std::string_view name;
    std::string_view value;
  };
  std::optional<Option> NextOption();

  // From here on the word is replaced by the value, which must be one integer,
  // word, string, command or cookie; an empty one only answers #ifdef. False
  // when it is something else, and nothing is defined.
  bool Define(std::string_view word, std::string_view value);

  Token Next();
  // After Next() gave "(": the text up to the ")" that closes it, as a string.
  Token TextToParenthesis();

 private:
  std::string_view rest() const { return script_.substr(at_); }
  bool At(std::string_view text) const;
  std::string_view Take(size_t length);
  Token Bad(std::string_view why);

  // Up to the next token; false when it never comes, see `bad_`.
  bool SkipBlanks();
  bool SkipComment();
  bool Directive();
  bool SkipToEndif();
  bool IsDefined(std::string_view word) const;

  Token Scan();
  Token ScanNumber();
  Token ScanString();
  Token ScanDelimited(Token::Kind kind, std::string_view open,
                      std::string_view close, std::string_view complaint);
  Token Replaced(const Token& word) const;

  const std::string_view script_;
  const std::string_view platform_;
  size_t at_ = 0;
  int line_ = 1;
  bool in_ifdef_ = false;
  Token bad_;
  std::map<std::string, std::string> defines_;
};

// "NAME=value" in two; the value is empty where there is none.
std::pair<std::string_view, std::string_view> SplitAtEquals(
    std::string_view text);

// What stands there, for "expected x, found y": "'ack'", "the end".
std::string Describe(const Token& token);

}  // namespace conformance

#endif  // CONFORMANCE_LEXER_H_
