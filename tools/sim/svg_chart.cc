#include "tools/sim/svg_chart.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <set>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tools/sim/chart_axis.h"
#include "tools/sim/chart_text.h"

namespace tcpip::sim {
namespace {

// Pixels.
constexpr int kWidth = 960;
constexpr int kLeft = 64;
constexpr int kRight = 24;
constexpr int kTop = 62;     // titles, the second of one line
constexpr int kLine = 18;    // one more line of it, or of a legend
constexpr int kHeader = 30;  // title and legend of a panel, of one line
constexpr int kBottom = 48;  // the axis of time
constexpr int kPlotWidth = kWidth - kLeft - kRight;
constexpr double kSample = 26;  // of a legend: a mark, and a gap behind it
constexpr double kGap = 16;     // between its entries
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
void AppendLine(std::string& svg, std::span<const ChartPoint> pixels) {
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

// With the axis of x if it has a title.
void DrawGrid(std::string& svg, const Frame& frame,
              const std::string* x_title) {
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
  if (x_title == nullptr) return;
  for (const Tick& tick : frame.x.ticks) {
    Text(svg, frame.Pixel({tick.value, 0}).x, bottom + 18, "soft mid",
         tick.label);
  }
  Text(svg, kLeft + kPlotWidth / 2.0, bottom + 38, "mid", *x_title);
}

double LegendWidth(const ChartSeries& series) {
  return kSample + TextWidth(series.name) + kGap;
}

// Which series stand in which line of a legend, beside a title of that width.
std::vector<std::span<const ChartSeries>> LegendLines(const ChartPanel& panel) {
  const double room = kPlotWidth - TextWidth(panel.title) - kGap;
  std::vector<std::span<const ChartSeries>> lines;
  const std::span<const ChartSeries> all = panel.series;
  size_t begin = 0;
  double width = 0;
  for (size_t i = 0; i < all.size(); ++i) {
    width += LegendWidth(all[i]);
    if (width > room && i > begin) {
      lines.push_back(all.subspan(begin, i - begin));
      begin = i;
      width = LegendWidth(all[i]);
    }
  }
  lines.push_back(all.subspan(begin));
  return lines;
}

int HeaderHeight(const ChartPanel& panel) {
  return kHeader + kLine * (static_cast<int>(LegendLines(panel).size()) - 1);
}

void DrawSample(std::string& svg, const ChartSeries& series, double x,
                double y) {
  OpenPath(svg, ClassOf(series));
  switch (series.mark) {
    case Mark::kLine:
    case Mark::kDashed:
      absl::StrAppend(&svg, "M", Px(x), " ", Px(y), "h20");
      break;
    case Mark::kDots:
      // One alone is hardly seen.
      for (const int dx : {4, 8, 12, 16})
        AppendMark(svg, series.mark, x + dx, y);
      break;
    case Mark::kDiscs:
    case Mark::kCrosses:
      AppendMark(svg, series.mark, x + 10, y);
      break;
  }
  ClosePath(svg);
}

void DrawLegend(std::string& svg, const ChartPanel& panel, double y) {
  for (const std::span<const ChartSeries> line : LegendLines(panel)) {
    double x = kWidth - kRight + kGap;
    for (const ChartSeries& series : line) x -= LegendWidth(series);
    for (const ChartSeries& series : line) {
      DrawSample(svg, series, x, y - 4);
      Text(svg, x + kSample, y, "", series.name);
      x += LegendWidth(series);
    }
    y += kLine;
  }
}

void DrawSeries(std::string& svg, const ChartSeries& series,
                const Frame& frame) {
  if (series.points.empty()) return;
  OpenPath(svg, ClassOf(series));
  if (series.mark == Mark::kLine || series.mark == Mark::kDashed) {
    std::vector<ChartPoint> pixels;
    for (const ChartPoint& point : series.points) {
      const bool ends = std::isnan(point.y);
      // Up to there the value before holds.
      pixels.push_back(
          ends && !pixels.empty()
              ? ChartPoint{frame.Pixel({point.x, 0}).x, pixels.back().y}
              : frame.Pixel(point));
      if (!ends) continue;
      if (pixels.size() > 1) AppendLine(svg, pixels);
      pixels.clear();
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
  double largest = chart.x_end;
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

bool IsEmpty(const ChartPanel& panel) {
  return std::all_of(
      panel.series.begin(), panel.series.end(),
      [](const ChartSeries& series) { return series.points.empty(); });
}

// Returns where the next one begins.
double DrawPanel(std::string& svg, const ChartPanel& panel, double top,
                 const Axis& x, const std::string* x_title) {
  Frame frame = {.top = top + HeaderHeight(panel),
                 .height = static_cast<double>(panel.height),
                 .x = x,
                 .y = MakeAxis(LargestY(panel), panel.height / kPixelsPerTickY,
                               /*round_up=*/true)};
  const bool empty = IsEmpty(panel);
  if (empty) frame.y.ticks = {{0, "0"}};
  DrawGrid(svg, frame, x_title);
  Text(svg, kLeft, top + 20, "head", panel.title);
  DrawLegend(svg, panel, top + 20);
  for (const ChartSeries& series : panel.series) DrawSeries(svg, series, frame);
  if (empty) {
    Text(svg, kLeft + kPlotWidth / 2.0, frame.top + frame.height / 2,
         "soft mid", "nothing to show");
  }
  return frame.top + frame.height;
}

}  // namespace

std::string ToSvg(const Chart& chart) {
  const std::vector<std::string> subtitle = Wrapped(chart.subtitle, kPlotWidth);
  const int titles = kTop + kLine * (static_cast<int>(subtitle.size()) - 1);
  int height = titles + kBottom;
  for (const ChartPanel& panel : chart.panels) {
    height += HeaderHeight(panel) + panel.height;
  }
  std::string svg = absl::StrFormat(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" "
      "width=\"%d\" height=\"%d\" role=\"img\">\n<title>%s</title>\n",
      kWidth, height, kWidth, height, Escaped(chart.title));
  absl::StrAppend(&svg, std::string(kStyle),
                  "<rect class=\"page\" width=\"100%\" height=\"100%\"/>\n");
  Text(svg, kLeft, 28, "title", chart.title);
  for (size_t i = 0; i < subtitle.size(); ++i) {
    Text(svg, kLeft, 48 + kLine * static_cast<double>(i), "soft", subtitle[i]);
  }
  const Axis x = MakeAxis(LargestX(chart), kTicksX, /*round_up=*/false);
  double top = titles;
  for (const ChartPanel& panel : chart.panels) {
    const bool is_last = &panel == &chart.panels.back();
    top = DrawPanel(svg, panel, top, x, is_last ? &chart.x_title : nullptr);
  }
  svg += "</svg>\n";
  return svg;
}

}  // namespace tcpip::sim
