#include "conformance/escapes.h"

#include <charconv>
#include <cstddef>
#include <cstdint>

#include "conformance/ascii.h"

namespace conformance {
namespace {

// A letter, and at the same place what it stands for.
constexpr std::string_view kLetters = "nrt0\"'\\";
constexpr std::string_view kMeanings("\n\r\t\0\"'\\", kLetters.size());

}  // namespace

std::string Escape(std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string escaped;
  for (const char c : text) {
    const size_t at = kMeanings.find(c);
    if (at != kMeanings.npos && c != '\'') {
      (escaped += '\\') += kLetters[at];
    } else if (c >= ' ' && c <= '~') {
      escaped += c;
    } else {
      const auto byte = static_cast<uint8_t>(c);
      ((escaped += "\\x") += kHex[byte / 16]) += kHex[byte % 16];
    }
  }
  return escaped;
}

std::optional<std::string> Unescape(std::string_view text) {
  std::string meant;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      meant += text[i];
      continue;
    }
    const std::string_view rest = text.substr(++i);
    if (rest.empty()) return std::nullopt;
    const size_t at = kLetters.find(rest[0]);
    if (at != kLetters.npos) {
      meant += kMeanings[at];
    } else if (rest[0] == 'x' && LengthOf(IsHexDigit, rest.substr(1, 2)) == 2) {
      uint8_t byte = 0;
      std::from_chars(&rest[1], &rest[1] + 2, byte, 16);
      meant += static_cast<char>(byte);
      i += 2;
    } else {
      return std::nullopt;
    }
  }
  return meant;
}

}  // namespace conformance
