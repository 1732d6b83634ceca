#include "tools/sim/flow_chart.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace tcpip::sim {
namespace {

// A unit in which the largest value has at most four digits before the point.
struct Scale {
  double divisor;
  const char* unit;
};

Scale BytesScale(uint64_t largest) {
  if (largest >= 10'000'000) return {1e6, "MB"};
  if (largest >= 10'000) return {1e3, "KB"};
  return {1, "bytes"};
}

Scale TimeScale(Duration largest) {
  if (largest >= Duration::Seconds(2)) return {1e9, "s"};
  if (largest >= Duration::Milliseconds(2)) return {1e6, "ms"};
  return {1e3, "us"};
}

double In(Duration time, Scale scale) {
  return static_cast<double>(time.nanoseconds()) / scale.divisor;
}
double In(uint64_t bytes, Scale scale) {
  return static_cast<double>(bytes) / scale.divisor;
}

std::string Titled(const char* name, Scale scale) {
  return absl::StrCat(name, ", ", scale.unit);
}

ChartPanel SequencePanel(std::span<const FlowEvent> events, Instant start,
                         Scale time) {
  uint64_t largest = 0;
  for (const FlowEvent& event : events) largest = std::max(largest, event.end);
  const Scale bytes = BytesScale(largest);
  ChartSeries sent = {"sent", Mark::kDots, Ink::kBlue};
  ChartSeries acked = {"acknowledged", Mark::kLine, Ink::kGreen};
  ChartSeries fast = {"again, fast", Mark::kDiscs, Ink::kOrange};
  ChartSeries timeout = {"again, timeout", Mark::kDiscs, Ink::kPurple};
  ChartSeries other = {"again, other", Mark::kDiscs, Ink::kGrey};
  ChartSeries lost = {"lost", Mark::kCrosses, Ink::kRed};
  for (const FlowEvent& event : events) {
    const ChartPoint point = {In(event.at - start, time), In(event.end, bytes)};
    if (event.kind == FlowEvent::Kind::kAcked) {
      acked.points.push_back(point);
      continue;
    }
    switch (event.sent) {
      case SendKind::kNew:
        sent.points.push_back(point);
        break;
      case SendKind::kFast:
        fast.points.push_back(point);
        break;
      case SendKind::kTimeout:
        timeout.points.push_back(point);
        break;
      case SendKind::kOther:
        other.points.push_back(point);
        break;
    }
    if (event.lost) lost.points.push_back(point);
  }
  ChartPanel panel = {Titled("Sequence", bytes), 300, {acked, sent}};
  // A legend names what there is.
  for (ChartSeries* series : {&fast, &timeout, &other, &lost}) {
    if (!series->points.empty()) panel.series.push_back(std::move(*series));
  }
  return panel;
}

ChartPanel WindowPanel(std::span<const FlowEvent> events, Instant start,
                       Scale time) {
  uint32_t largest = 0;
  for (const FlowEvent& event : events) {
    largest = std::max({largest, event.info.cwnd, event.info.pipe});
  }
  const Scale bytes = BytesScale(largest);
  ChartSeries flight = {"in flight", Mark::kLine, Ink::kGrey};
  ChartSeries ssthresh = {"ssthresh", Mark::kDashed, Ink::kOrange};
  ChartSeries cwnd = {"cwnd", Mark::kLine, Ink::kBlue};
  for (const FlowEvent& event : events) {
    const double x = In(event.at - start, time);
    flight.points.push_back({x, In(event.info.pipe, bytes)});
    cwnd.points.push_back({x, In(event.info.cwnd, bytes)});
    // Before the first loss it is out of sight.
    if (event.info.ssthresh <= largest) {
      ssthresh.points.push_back({x, In(event.info.ssthresh, bytes)});
    }
  }
  ChartPanel panel = {Titled("Window", bytes), 190, {flight, cwnd}};
  if (!ssthresh.points.empty()) panel.series.push_back(std::move(ssthresh));
  return panel;
}

ChartPanel RttPanel(std::span<const FlowEvent> events, Instant start,
                    Scale time) {
  Duration largest;
  for (const FlowEvent& event : events) {
    largest = std::max({largest, event.rtt, event.info.srtt});
  }
  const Scale rtt = TimeScale(largest);
  ChartSeries samples = {"from send to acknowledgment", Mark::kDots,
                         Ink::kBlue};
  ChartSeries srtt = {"srtt", Mark::kLine, Ink::kOrange};
  for (const FlowEvent& event : events) {
    const double x = In(event.at - start, time);
    if (event.rtt > Duration::Zero()) {
      samples.points.push_back({x, In(event.rtt, rtt)});
    }
    if (event.info.srtt > Duration::Zero()) {
      srtt.points.push_back({x, In(event.info.srtt, rtt)});
    }
  }
  return {Titled("Round-trip time", rtt), 140, {samples, srtt}};
}

}  // namespace

Chart FlowChart(std::span<const FlowEvent> events, Instant start,
                const std::string& title, const std::string& subtitle) {
  const Duration length =
      events.empty() ? Duration::Zero() : events.back().at - start;
  const Scale time = TimeScale(length);
  return {.title = title,
          .subtitle = subtitle,
          .x_title = Titled("Time", time),
          .panels = {SequencePanel(events, start, time),
                     WindowPanel(events, start, time),
                     RttPanel(events, start, time)}};
}

}  // namespace tcpip::sim
