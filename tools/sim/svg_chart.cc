#include "tools/sim/svg_chart.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tools/sim/chart_axis.h"

namespace tcpip::sim {
namespace {

// Pixels.
constexpr int kWidth = 960;
constexpr int kLeft = 64;
constexpr int kRight = 24;
constexpr int kTop = 62;     // titles
constexpr int kHeader = 30;  // title and legend of a panel
constexpr int kBottom = 48;  // the axis of time
constexpr int kPlotWidth = kWidth - kLeft - kRight;
constexpr double kLetter = 6.6;  // the usual width of one in a legend
constexpr int kPixelsPerTickY = 40;
constexpr int kTicksX = 14;

// On light pages, and then what differs on dark ones.
constexpr std::string_view kStyle = R"(<style>
text { font: 12px system-ui, "DejaVu Sans", sans-serif; fill: #1f2328; }
.title { font-size: 16px; font-weight: 600; }
.head { font-weight: 600; }
.soft { fill: #59636e; }
.end { text-anchor: end; }
.mid { text-anchor: middle; }
path { fill: none; stroke-linecap: round; stroke-linejoin: round; }
.page { fill: #ffffff; }
.grid { stroke: #d8dee4; stroke-width: 1; }
.line { stroke-width: 1.5; }
.dashed { stroke-width: 1.5; stroke-dasharray: 6 5; stroke-linecap: butt; }
.dots { stroke-width: 2; }
.discs { stroke-width: 5; }
.crosses { stroke-width: 1.8; }
.ink0 { stroke: #0969da; }
.ink1 { stroke: #bc4c00; }
.ink2 { stroke: #cf222e; }
.ink3 { stroke: #1a7f37; }
.ink4 { stroke: #8250df; }
.ink5 { stroke: #818b98; }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3; }
.soft { fill: #9198a1; }
.page { fill: #0d1117; }
.grid { stroke: #2d333b; }
.ink0 { stroke: #58a6ff; }
.ink1 { stroke: #f0883e; }
.ink2 { stroke: #ff7b72; }
.ink3 { stroke: #3fb950; }
.ink4 { stroke: #bc8cff; }
.ink5 { stroke: #7d8590; }
}
</style>
)";

constexpr std::string_view kMarkClass[] = {"line", "dashed", "dots", "discs",
                                           "crosses"};

std::string ClassOf(const ChartSeries& series) {
  return absl::StrCat(std::string(kMarkClass[static_cast<int>(series.mark)]),
                      " ink", static_cast<int>(series.ink));
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

// A number of pixels, to the half.
std::string Px(double v) {
  const double half = std::round(v * 2) / 2;
  return half == std::floor(half) ? absl::StrFormat("%.0f", half)
                                  : absl::StrFormat("%.1f", half);
}

void Text(std::string& svg, double x, double y, std::string_view classes,
          std::string_view text) {
  absl::StrAppend(&svg, "<text x=\"", Px(x), "\" y=\"", Px(y), "\"",
                  classes.empty() ? "" : " class=\"", std::string(classes),
                  classes.empty() ? ">" : "\">", Escaped(text), "</text>\n");
}

void OpenPath(std::string& svg, std::string_view classes) {
  absl::StrAppend(&svg, "<path class=\"", std::string(classes), "\" d=\"");
}
void ClosePath(std::string& svg) { svg += "\"/>\n"; }

void AppendMark(std::string& svg, Mark mark, double x, double y) {
  if (mark == Mark::kCrosses) {
    absl::StrAppend(&svg, "M", Px(x - 3), " ", Px(y - 3), "l6 6m-6 0l6 -6");
  } else {
    absl::StrAppend(&svg, "M", Px(x), " ", Px(y), "h0");
  }
}

// A line in steps through pixels. Within a half pixel of x the first, the
// lowest, the highest and the last are all that can be seen.
void AppendLine(std::string& svg, const std::vector<ChartPoint>& pixels) {
  if (pixels.empty()) return;
  ChartPoint last = pixels[0];
  absl::StrAppend(&svg, "M", Px(last.x), " ", Px(last.y));
  const auto go_to = [&](ChartPoint at) {
    if (at.x != last.x) absl::StrAppend(&svg, "H", Px(at.x));
    if (at.y != last.y) absl::StrAppend(&svg, "V", Px(at.y));
    last = at;
  };
  for (size_t i = 0; i < pixels.size();) {
    size_t end = i;
    double low = pixels[i].y;
    double high = pixels[i].y;
    while (end < pixels.size() && pixels[end].x == pixels[i].x) {
      low = std::min(low, pixels[end].y);
      high = std::max(high, pixels[end].y);
      ++end;
    }
    go_to(pixels[i]);
    go_to({pixels[i].x, low});
    go_to({pixels[i].x, high});
    go_to(pixels[end - 1]);
    i = end;
  }
}

// The place of a panel on the page.
struct Frame {
  double top;  // of the plot
  double height;
  Axis x;
  Axis y;

  ChartPoint Pixel(ChartPoint value) const {
    const auto half = [](double v) { return std::round(v * 2) / 2; };
    return {half(kLeft + value.x / x.end * kPlotWidth),
            half(top + height - value.y / y.end * height)};
  }
};

void DrawGrid(std::string& svg, const Frame& frame, bool is_last,
              const std::string& x_title) {
  const double bottom = frame.top + frame.height;
  OpenPath(svg, "grid");
  for (const Tick& tick : frame.y.ticks) {
    absl::StrAppend(&svg, "M", kLeft, " ", Px(frame.Pixel({0, tick.value}).y),
                    "h", kPlotWidth);
  }
  for (const Tick& tick : frame.x.ticks) {
    absl::StrAppend(&svg, "M", Px(frame.Pixel({tick.value, 0}).x), " ",
                    Px(frame.top), "V", Px(bottom));
  }
  ClosePath(svg);
  for (const Tick& tick : frame.y.ticks) {
    Text(svg, kLeft - 8, frame.Pixel({0, tick.value}).y + 4, "soft end",
         tick.label);
  }
  if (!is_last) return;
  for (const Tick& tick : frame.x.ticks) {
    Text(svg, frame.Pixel({tick.value, 0}).x, bottom + 18, "soft mid",
         tick.label);
  }
  Text(svg, kLeft + kPlotWidth / 2.0, bottom + 38, "mid", x_title);
}

void DrawLegend(std::string& svg, const ChartPanel& panel, double y) {
  double x = kWidth - kRight;
  for (auto it = panel.series.rbegin(); it != panel.series.rend(); ++it) {
    x -= kLetter * static_cast<double>(it->name.size());
    Text(svg, x, y, "", it->name);
    x -= 26;
    OpenPath(svg, ClassOf(*it));
    if (it->mark == Mark::kLine || it->mark == Mark::kDashed) {
      absl::StrAppend(&svg, "M", Px(x), " ", Px(y - 4), "h20");
    } else {
      AppendMark(svg, it->mark, x + 10, y - 4);
    }
    ClosePath(svg);
    x -= 16;
  }
}

void DrawSeries(std::string& svg, const ChartSeries& series,
                const Frame& frame) {
  if (series.points.empty()) return;
  OpenPath(svg, ClassOf(series));
  if (series.mark == Mark::kLine || series.mark == Mark::kDashed) {
    std::vector<ChartPoint> pixels;
    for (const ChartPoint& point : series.points) {
      pixels.push_back(frame.Pixel(point));
    }
    AppendLine(svg, pixels);
  } else {
    std::set<std::pair<double, double>> drawn;
    for (const ChartPoint& point : series.points) {
      const auto [x, y] = frame.Pixel(point);
      if (drawn.emplace(x, y).second) AppendMark(svg, series.mark, x, y);
    }
  }
  ClosePath(svg);
}

double LargestX(const Chart& chart) {
  double largest = 0;
  for (const ChartPanel& panel : chart.panels) {
    for (const ChartSeries& series : panel.series) {
      for (const ChartPoint& p : series.points)
        largest = std::max(largest, p.x);
    }
  }
  return largest;
}

double LargestY(const ChartPanel& panel) {
  double largest = 0;
  for (const ChartSeries& series : panel.series) {
    for (const ChartPoint& p : series.points) largest = std::max(largest, p.y);
  }
  return largest;
}

}  // namespace

std::string ToSvg(const Chart& chart) {
  int height = kTop + kBottom;
  for (const ChartPanel& panel : chart.panels) height += kHeader + panel.height;
  std::string svg = absl::StrFormat(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" "
      "width=\"%d\" height=\"%d\" role=\"img\">\n<title>%s</title>\n",
      kWidth, height, kWidth, height, Escaped(chart.title));
  absl::StrAppend(&svg, std::string(kStyle),
                  "<rect class=\"page\" width=\"100%\" height=\"100%\"/>\n");
  Text(svg, kLeft, 28, "title", chart.title);
  Text(svg, kLeft, 48, "soft", chart.subtitle);

  const Axis x = MakeAxis(LargestX(chart), kTicksX, /*round_up=*/false);
  double top = kTop;
  for (const ChartPanel& panel : chart.panels) {
    const Frame frame = {
        .top = top + kHeader,
        .height = static_cast<double>(panel.height),
        .x = x,
        .y = MakeAxis(LargestY(panel), panel.height / kPixelsPerTickY,
                      /*round_up=*/true)};
    DrawGrid(svg, frame, &panel == &chart.panels.back(), chart.x_title);
    Text(svg, kLeft, top + 20, "head", panel.title);
    DrawLegend(svg, panel, top + 20);
    for (const ChartSeries& series : panel.series) {
      DrawSeries(svg, series, frame);
    }
    top += kHeader + panel.height;
  }
  svg += "</svg>\n";
  return svg;
}

}  // namespace tcpip::sim
