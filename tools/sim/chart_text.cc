#include "tools/sim/chart_text.h"

#include <cctype>
#include <cstddef>

namespace tcpip::sim {
namespace {

double LetterWidth(char c) {
  constexpr std::string_view kNarrow = "fijlrtI ,.;:|()/'";
  constexpr std::string_view kWide = "mwMW%";
  if (kNarrow.find(c) != std::string_view::npos) return 4.2;
  if (kWide.find(c) != std::string_view::npos) return 11;
  return std::isupper(static_cast<unsigned char>(c)) != 0 ? 8.6 : 7.4;
}

}  // namespace

double TextWidth(std::string_view text) {
  double width = 0;
  for (const char c : text) width += LetterWidth(c);
  return width;
}

std::vector<std::string> Wrapped(std::string_view text, double width) {
  std::vector<std::string> lines(1);
  while (!text.empty()) {
    const size_t blank = text.find(' ');
    const std::string word(text.substr(0, blank));
    const std::string longer =
        lines.back().empty() ? word : lines.back() + " " + word;
    if (lines.back().empty() || TextWidth(longer) <= width) {
      lines.back() = longer;
    } else {
      lines.push_back(word);
    }
    text.remove_prefix(blank == text.npos ? text.size() : blank + 1);
  }
  return lines;
}

std::string Escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

}  // namespace tcpip::sim
