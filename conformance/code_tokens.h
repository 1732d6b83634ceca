// Tokens of the code in "%{ }%", which is a little Python. Used by the
// evaluator.
#ifndef CONFORMANCE_CODE_TOKENS_H_
#define CONFORMANCE_CODE_TOKENS_H_

#include <cstdint>
#include <string_view>
#include <vector>

namespace conformance {

// The text is a part of the code's.
struct CodeToken {
  enum class Kind : uint8_t {
    kEnd,
    kNewline,  // or ";"; none inside parentheses or after a backslash
    kInteger,  // 12, 0x1f
    kName,
    kString,    // with its quotes
    kOperator,  // the longest that matches, and any other character
  };
  Kind kind = Kind::kEnd;
  std::string_view text;
};

// The last is kEnd. Anything gives tokens: what is no number or string after
// all is an operator nobody knows.
std::vector<CodeToken> CodeTokens(std::string_view code);

}  // namespace conformance

#endif  // CONFORMANCE_CODE_TOKENS_H_
