#include "tools/sim/flow_chart.h"

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace tcpip::sim {
namespace {

constexpr Instant kStart = Instant::FromNanoseconds(5'000'000'000);

Duration Ms(int64_t n) { return Duration::Milliseconds(n); }

FlowEvent Sent(int64_t ms, uint64_t end, SendKind kind, bool lost = false) {
  FlowEvent event = {.kind = FlowEvent::Kind::kSent,
                     .sent = kind,
                     .lost = lost,
                     .begin = end - 1000,
                     .end = end,
                     .rtt = {},
                     .at = kStart + Duration::Milliseconds(ms),
                     .info = {}};
  event.info.cwnd = 20'000;
  event.info.ssthresh = 1u << 30;
  event.info.pipe = 3'000;
  return event;
}

FlowEvent Acked(int64_t ms, uint64_t end, int64_t rtt_ms) {
  FlowEvent event = {.kind = FlowEvent::Kind::kAcked,
                     .end = end,
                     .rtt = Duration::Milliseconds(rtt_ms),
                     .at = kStart + Duration::Milliseconds(ms),
                     .info = {}};
  event.info.cwnd = 30'000;
  event.info.ssthresh = 15'000;
  event.info.pipe = 2'000;
  event.info.srtt = Duration::Milliseconds(9);
  return event;
}

const ChartSeries* Find(const ChartPanel& panel, const std::string& name) {
  for (const ChartSeries& series : panel.series) {
    if (series.name == name) return &series;
  }
  return nullptr;
}

TEST(FlowChart, SortsEventsIntoPanelsAndUnits) {
  const std::vector<FlowEvent> events = {
      Sent(0, 20'000, SendKind::kNew),
      Sent(1, 40'000, SendKind::kNew, /*lost=*/true),
      Acked(10, 20'000, 10),
      Sent(500, 40'000, SendKind::kTimeout),
      Acked(510, 40'000, 0),
  };
  const Chart chart = FlowChart(events, kStart, Ms(400), "title", "subtitle");
  ASSERT_EQ(chart.panels.size(), 3u);
  EXPECT_EQ(chart.x_title, "Time, ms");

  const ChartPanel& sequence = chart.panels[0];
  EXPECT_EQ(sequence.title, "Sequence, KB");
  EXPECT_EQ(Find(sequence, "sent")->points.size(), 2u);
  ASSERT_NE(Find(sequence, "again, timeout"), nullptr);
  EXPECT_EQ(Find(sequence, "again, timeout")->points[0].x, 500);
  EXPECT_EQ(Find(sequence, "again, timeout")->points[0].y, 40);
  EXPECT_EQ(Find(sequence, "lost")->points.size(), 1u);
  // What did not happen is not in the legend.
  EXPECT_EQ(Find(sequence, "again, fast"), nullptr);
  EXPECT_EQ(Find(sequence, "acknowledged")->points.size(), 2u);

  const ChartPanel& window = chart.panels[1];
  EXPECT_EQ(window.title, "Window, KB");
  EXPECT_EQ(Find(window, "cwnd")->points.size(), 5u);
  // Without bound at first: out of sight. Then it is seen, not, and again.
  ASSERT_EQ(Find(window, "ssthresh")->points.size(), 3u);
  EXPECT_EQ(Find(window, "ssthresh")->points[0].x, 10);

  const ChartPanel& rtt = chart.panels[2];
  EXPECT_EQ(rtt.title, "Round-trip time, ms");
  EXPECT_EQ(Find(rtt, "from send to acknowledgment")->points.size(), 1u);
  EXPECT_EQ(Find(rtt, "srtt")->points.size(), 2u);
}

// Its time is that of the run, in which nothing came of the handshake.
TEST(FlowChart, AFlowOfNothingIsAChartToo) {
  const Chart chart = FlowChart({}, kStart, Ms(20'000), "", "");
  EXPECT_EQ(chart.panels.size(), 3u);
  EXPECT_EQ(chart.x_title, "Time, s");
  EXPECT_EQ(chart.x_end, 20);
}

TEST(FlowChart, TimeGoesOnToTheLastEventOrTheEndOfTheRun) {
  const std::vector<FlowEvent> events = {Sent(300, 20'000, SendKind::kNew)};
  EXPECT_EQ(FlowChart(events, kStart, Ms(200), "", "").x_end, 300);
  EXPECT_EQ(FlowChart(events, kStart, Ms(900), "", "").x_end, 900);
}

TEST(FlowChart, ThePeersWindowIsShownWhereItIsNearWhatIsUsed) {
  std::vector<FlowEvent> events;
  for (int i = 0; i < 4; ++i) {
    events.push_back(Sent(i, 20'000, SendKind::kNew));  // cwnd is 20,000
    events.back().info.snd_wnd = 1'000'000;
  }
  const auto window = [&] {
    return FlowChart(events, kStart, {}, "", "").panels[1];
  };
  EXPECT_EQ(Find(window(), "rwnd"), nullptr);
  events[1].info.snd_wnd = 40'000;
  const ChartPanel panel = window();
  const ChartSeries* rwnd = Find(panel, "rwnd");
  ASSERT_NE(rwnd, nullptr);
  EXPECT_EQ(rwnd->points[0].x, 1);
  EXPECT_EQ(rwnd->points[0].y, 40);
  // Then it is out of sight: no line pretends that it stayed.
  ASSERT_EQ(rwnd->points.size(), 2u);
  EXPECT_TRUE(std::isnan(rwnd->points[1].y));
  events[2].info.snd_wnd = 0;
  EXPECT_EQ(Find(window(), "rwnd")->points[1].y, 0);
}

}  // namespace
}  // namespace tcpip::sim
