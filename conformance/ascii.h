// Classes of characters, whatever the locale says, and texts taken apart by
// them. Used by everything that reads text: scripts, code, commands,
// directives.
#ifndef CONFORMANCE_ASCII_H_
#define CONFORMANCE_ASCII_H_

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace conformance {

inline bool IsDigit(char c) { return c >= '0' && c <= '9'; }
inline bool IsHexDigit(char c) {
  return IsDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
inline bool IsSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
inline bool IsWordStart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
inline bool IsWordPart(char c) { return IsWordStart(c) || IsDigit(c); }
inline char ToLower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

// How many characters at the front are of the class.
inline size_t LengthOf(bool (*is_in_class)(char), std::string_view text) {
  return static_cast<size_t>(
      std::find_if_not(text.begin(), text.end(), is_in_class) - text.begin());
}

// Each gap becomes one blank, none remain at the ends.
inline std::string SqueezeBlanks(std::string_view text) {
  std::string squeezed;
  for (const char c : text) {
    if (!IsSpace(c)) {
      squeezed += c;
    } else if (!squeezed.empty() && squeezed.back() != ' ') {
      squeezed += ' ';
    }
  }
  if (!squeezed.empty() && squeezed.back() == ' ') squeezed.pop_back();
  return squeezed;
}

// Without blanks at the ends.
inline std::string_view Trim(std::string_view text) {
  while (!text.empty() && IsSpace(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsSpace(text.back())) text.remove_suffix(1);
  return text;
}

// The parts between any of `separators` that are not empty.
inline std::vector<std::string_view> SplitAny(std::string_view text,
                                              std::string_view separators) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const size_t end = std::min(text.find_first_of(separators), text.size());
    if (end > 0) parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

}  // namespace conformance

#endif  // CONFORMANCE_ASCII_H_
