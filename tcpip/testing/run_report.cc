#include "tcpip/testing/run_report.h"

#include <algorithm>
#include <cassert>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tcpip/base/units.h"

namespace tcpip::sim {
namespace {

int64_t Goodput(const RunReport& run) {
  // How much of it came before it failed nobody knows.
  if (!run.succeeded() || run.took <= Duration::Zero()) return 0;
  return static_cast<int64_t>(
      Bandwidth::FromTransfer(run.bytes, run.took).bits_per_second() / 1000);
}

int64_t PowerOfTen(int exponent) {
  int64_t power = 1;
  for (int i = 0; i < exponent; ++i) power *= 10;
  return power;
}

int64_t Count(uint64_t n) { return static_cast<int64_t>(n); }

constexpr Metric kMetrics[] = {
    {"time", "ms", [](const RunReport& run) { return run.took.microseconds(); },
     3},
    {"goodput", "kbit/s", Goodput},
    {"segments sent", "",
     [](const RunReport& run) { return Count(run.flow.segs_sent); }},
    {"segments lost", "",
     [](const RunReport& run) { return Count(run.flow.segs_lost); }},
    {"lost in queues", "",
     [](const RunReport& run) { return Count(run.queue_drops); }},
    {"sent again, fast", "",
     [](const RunReport& run) { return Count(run.flow.retrans_fast); }},
    {"sent again, timeout", "",
     [](const RunReport& run) { return Count(run.flow.retrans_timeout); }},
    {"sent again, otherwise", "",
     [](const RunReport& run) { return Count(run.flow.retrans_other); }},
    {"sent again needlessly", "",
     [](const RunReport& run) { return Count(run.flow.retrans_needless); }},
    {"fast recoveries", "",
     [](const RunReport& run) { return Count(run.flow.fast_recoveries); }},
    {"timeouts", "",
     [](const RunReport& run) { return Count(run.flow.timeouts); }},
    {"spurious of both", "",
     [](const RunReport& run) { return Count(run.flow.spurious); }},
    {"RTT p50", "us",
     [](const RunReport& run) { return run.rtt_p50.microseconds(); }},
    {"RTT p90", "us",
     [](const RunReport& run) { return run.rtt_p90.microseconds(); }},
    {"RTT p99", "us",
     [](const RunReport& run) { return run.rtt_p99.microseconds(); }},
};

}  // namespace

std::span<const Metric> Metrics() { return kMetrics; }

const Metric& MetricNamed(const char* name) {
  const auto* const found = std::find_if(
      std::begin(kMetrics), std::end(kMetrics), [name](const Metric& metric) {
        return std::string_view(metric.name) == name;
      });
  assert(found != std::end(kMetrics));
  return *found;
}

std::string ToText(const Metric& metric, int64_t value) {
  if (metric.decimals == 0) return absl::StrCat(value);
  return absl::StrFormat("%d.%0*d", Whole(metric, value), metric.decimals,
                         value % PowerOfTen(metric.decimals));
}

int64_t Whole(const Metric& metric, int64_t value) {
  return value / PowerOfTen(metric.decimals);
}

Spread SpreadOf(std::vector<int64_t> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  return {.min = values.front(),
          .median = values[(values.size() - 1) / 2],
          .max = values.back()};
}

Spread SpreadOf(std::span<const RunReport> reports, const Metric& metric) {
  std::vector<int64_t> values;
  for (const RunReport& report : reports) {
    if (report.succeeded()) values.push_back(metric.of(report));
  }
  return SpreadOf(std::move(values));
}

Duration Percentile(std::vector<Duration> values, int percent) {
  if (values.empty()) return {};
  const size_t rank = (values.size() * static_cast<size_t>(percent) + 99) / 100;
  const auto at = values.begin() + static_cast<ptrdiff_t>(rank - 1);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

}  // namespace tcpip::sim
