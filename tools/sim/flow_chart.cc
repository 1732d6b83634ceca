#include "tools/sim/flow_chart.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

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
  // What the peer allows matters where it is near what is used; elsewhere, and
  // before a first loss has set ssthresh, such lines are out of sight.
  const uint64_t sight = uint64_t{largest} * 2;
  uint32_t shown = largest;
  ChartSeries flight = {"in flight", Mark::kLine, Ink::kGrey};
  ChartSeries rwnd = {"rwnd", Mark::kLine, Ink::kGreen};
  ChartSeries ssthresh = {"ssthresh", Mark::kDashed, Ink::kOrange};
  ChartSeries cwnd = {"cwnd", Mark::kLine, Ink::kBlue};
  for (const FlowEvent& event : events) {
    for (const uint32_t value : {event.info.snd_wnd, event.info.ssthresh}) {
      if (value <= sight) shown = std::max(shown, value);
    }
  }
  const Scale bytes = BytesScale(shown);
  const auto add_if_seen = [&](ChartSeries& series, double x, uint32_t value) {
    if (value <= sight) {
      series.points.push_back({x, In(value, bytes)});
    } else if (!series.points.empty() && !std::isnan(series.points.back().y)) {
      series.points.push_back({x, std::numeric_limits<double>::quiet_NaN()});
    }
  };
  for (const FlowEvent& event : events) {
    const double x = In(event.at - start, time);
    flight.points.push_back({x, In(event.info.pipe, bytes)});
    cwnd.points.push_back({x, In(event.info.cwnd, bytes)});
    add_if_seen(rwnd, x, event.info.snd_wnd);
    add_if_seen(ssthresh, x, event.info.ssthresh);
  }
  ChartPanel panel = {Titled("Window", bytes), 190, {}};
  if (!rwnd.points.empty()) panel.series.push_back(std::move(rwnd));
  panel.series.push_back(std::move(flight));
  panel.series.push_back(std::move(cwnd));
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
                Duration length, const std::string& title,
                const std::string& subtitle) {
  if (!events.empty()) length = std::max(length, events.back().at - start);
  const Scale time = TimeScale(length);
  return {.title = title,
          .subtitle = subtitle,
          .x_title = Titled("Time", time),
          .x_end = In(length, time),
          .panels = {SequencePanel(events, start, time),
                     WindowPanel(events, start, time),
                     RttPanel(events, start, time)}};
}

}  // namespace tcpip::sim
