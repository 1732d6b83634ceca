// Charts as SVG: panels one above the other over one axis of time, each with an
// axis and a legend of its own; one without points says so. Readable on light
// and on dark pages, and small: points that would fall on the same half pixel
// are drawn once.
//
// Knows numbers and names only; FlowChart says what they are.
#ifndef TOOLS_SIM_SVG_CHART_H_
#define TOOLS_SIM_SVG_CHART_H_

#include <cstdint>
#include <string>
#include <vector>

namespace tcpip::sim {

struct ChartPoint {
  double x = 0;
  double y = 0;  // not a number: a line ends here, until the next point
};

enum class Mark : uint8_t {
  kLine,    // each value holds until the next
  kDashed,  // the same, dashed
  kDots,
  kDiscs,    // dots to be seen one by one
  kCrosses,  // likewise
};

// Of the palette, which is chosen to be told apart by most eyes.
enum class Ink : uint8_t { kBlue, kOrange, kRed, kGreen, kPurple, kGrey };

struct ChartSeries {
  std::string name;
  Mark mark = Mark::kLine;
  Ink ink = Ink::kBlue;
  std::vector<ChartPoint> points = {};  // by x, for lines
};

struct ChartPanel {
  std::string title;                     // with its unit
  int height = 0;                        // pixels
  std::vector<ChartSeries> series = {};  // the last is drawn on top
};

struct Chart {
  std::string title;
  std::string subtitle;
  std::string x_title;  // with its unit
  double x_end = 0;     // the axis reaches it, whatever the points do
  std::vector<ChartPanel> panels = {};
};

std::string ToSvg(const Chart& chart);

}  // namespace tcpip::sim

#endif  // TOOLS_SIM_SVG_CHART_H_
