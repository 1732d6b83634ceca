#include "tools/sim/svg_chart.h"

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tcpip::sim {
namespace {

using testing::HasSubstr;
using testing::Not;

Chart Of(const ChartSeries& series) {
  return {.title = "a title",
          .subtitle = "seed 1",
          .x_title = "Time, s",
          .panels = {{.title = "Bytes", .height = 100, .series = {series}}}};
}

size_t Count(const std::string& text, const std::string& what) {
  size_t count = 0;
  for (size_t at = text.find(what); at != std::string::npos;
       at = text.find(what, at + 1)) {
    ++count;
  }
  return count;
}

TEST(ToSvg, NamesEverythingItShows) {
  const std::string svg = ToSvg(Of({.name = "cwnd", .points = {{1, 10}}}));
  for (const char* text :
       {">a title<", ">seed 1<", ">Time, s<", ">Bytes<", ">cwnd<", ">10<"}) {
    EXPECT_THAT(svg, HasSubstr(text));
  }
}

TEST(ToSvg, TextIsEscaped) {
  const std::string svg = ToSvg(Of({.name = "a<b & c>d"}));
  EXPECT_THAT(svg, HasSubstr("a&lt;b &amp; c&gt;d"));
  EXPECT_THAT(svg, Not(HasSubstr("a<b")));
}

TEST(ToSvg, HasColoursForDarkPages) {
  EXPECT_THAT(ToSvg(Of({})), HasSubstr("prefers-color-scheme: dark"));
}

// The plot is 872 pixels wide from 64 on, and 100 high from 92 on.
TEST(ToSvg, PointsStandWhereTheyBelong) {
  const std::string svg = ToSvg(Of(
      {.name = "n", .mark = Mark::kDots, .points = {{0, 0}, {4, 8}, {2, 5}}}));
  EXPECT_THAT(svg, HasSubstr("d=\"M64 192h0M936 112h0M500 142h0\""));
}

TEST(ToSvg, ALineHoldsEachValueUntilTheNext) {
  const std::string svg =
      ToSvg(Of({.name = "n", .points = {{0, 0}, {2, 5}, {4, 10}}}));
  EXPECT_THAT(svg, HasSubstr("d=\"M64 192H500V142H936V92\""));
}

TEST(ToSvg, PointsThatCannotBeToldApartAreDrawnOnce) {
  ChartSeries dots = {.name = "n", .mark = Mark::kDots};
  ChartSeries line = {.name = "n", .mark = Mark::kLine};
  for (int i = 0; i <= 100'000; ++i) {
    dots.points.push_back({100.0, 5.0});
    line.points.push_back({i / 1000.0, static_cast<double>(i % 2)});
  }
  EXPECT_EQ(Count(ToSvg(Of(dots)), "h0"), 5u);  // and four in the legend
  EXPECT_LT(ToSvg(Of(line)).size(), 100'000u);
}

TEST(ToSvg, NothingToShowIsSaidOverTheTimeThatPassed) {
  Chart chart = Of({.name = "n"});
  chart.x_end = 20;
  const std::string svg = ToSvg(chart);
  EXPECT_THAT(svg, HasSubstr(">nothing to show<"));
  EXPECT_THAT(svg, HasSubstr(">20<"));
  EXPECT_THAT(svg, Not(HasSubstr("0.5")));  // no ticks of what there is not
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
  EXPECT_THAT(ToSvg(Of({.name = "n", .points = {{1, 1}}})),
              Not(HasSubstr("nothing to show")));
}

TEST(ToSvg, ALineEndsAtAPointWithoutValue) {
  const double none = std::nan("");
  const std::string svg =
      ToSvg(Of({.name = "n",
                .points = {{0, 5}, {1, none}, {2, none}, {3, 10}, {4, 5}}}));
  EXPECT_THAT(svg, HasSubstr("d=\"M64 142H282M718 92H936V142\""));
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
}

// The viewBox tells the height; a line more is 18 pixels.
TEST(ToSvg, LongTextsTakeMoreLines) {
  EXPECT_THAT(ToSvg(Of({})), HasSubstr("0 0 960 240"));
  Chart chart = Of({.name = "n"});
  for (int i = 0; i < 30; ++i) chart.subtitle += " some words";
  EXPECT_THAT(ToSvg(chart), HasSubstr("0 0 960 276"));
  chart = Of({.name = "a name of some length, so to say"});
  for (int i = 0; i < 3; ++i) {
    chart.panels[0].series.push_back(chart.panels[0].series[0]);
  }
  EXPECT_THAT(ToSvg(chart), HasSubstr("0 0 960 258"));
}

}  // namespace
}  // namespace tcpip::sim
