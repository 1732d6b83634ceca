// How wide texts of a chart are, about, and how they are broken into lines.
// Which font a page has nobody knows: widths are those of a usual sans-serif
// one.
#ifndef TOOLS_SIM_CHART_TEXT_H_
#define TOOLS_SIM_CHART_TEXT_H_

#include <string>
#include <string_view>
#include <vector>

namespace tcpip::sim {

// In pixels, at 12 pixels of height.
double TextWidth(std::string_view text);

// Lines of no more than `width`, broken at blanks; a word that is wider has a
// line of its own. At least one line.
std::vector<std::string> Wrapped(std::string_view text, double width);

// As XML wants it.
std::string Escaped(std::string_view text);

}  // namespace tcpip::sim

#endif  // TOOLS_SIM_CHART_TEXT_H_
