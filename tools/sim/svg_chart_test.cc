#include "tools/sim/svg_chart.h"

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
  EXPECT_EQ(Count(ToSvg(Of(dots)), "h0"), 2u);  // and one in the legend
  EXPECT_LT(ToSvg(Of(line)).size(), 100'000u);
}

TEST(ToSvg, NothingToShowIsAChartToo) {
  const std::string svg = ToSvg(Of({.name = "n"}));
  EXPECT_THAT(svg, HasSubstr("</svg>"));
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
}

}  // namespace
}  // namespace tcpip::sim
