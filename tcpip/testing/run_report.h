// What one simulated run came to, as a value, and what many came to: the least,
// the middle and the most of each figure over their seeds. Integers only, so
// that tables of them can be golden.
//
// Metrics() is the one list of figures, in the order of tables. What a stack
// learns to count later (probes, undone recoveries) is a line there.
#ifndef TCPIP_TESTING_RUN_REPORT_H_
#define TCPIP_TESTING_RUN_REPORT_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tcpip/base/time.h"
#include "tcpip/testing/flow_watch.h"

namespace tcpip::sim {

struct RunReport {
  uint64_t seed = 0;
  std::string problem = {};  // "" when all arrived and nothing was broken
  uint64_t trace = 0;        // the same for the same packets at the same times
  uint64_t bytes = 0;        // that applications read, both ways
  Duration took = {};        // from the SYN until the last of them, and the FIN
  FlowCounts flow = {};      // of the side with more to send
  Duration rtt_p50 = {};
  Duration rtt_p90 = {};
  Duration rtt_p99 = {};
  uint64_t queue_drops = 0;  // packets, both ways

  bool succeeded() const { return problem.empty(); }
};

struct Metric {
  const char* name;
  const char* unit;
  int64_t (*of)(const RunReport&);
  int decimals = 0;  // so many digits of the value stand behind the point
};
// "2.215" for 2215 with three decimals.
std::string ToText(const Metric& metric, int64_t value);
// The value without its decimals.
int64_t Whole(const Metric& metric, int64_t value);
std::span<const Metric> Metrics();
// The one of that name, which there must be.
const Metric& MetricNamed(const char* name);

struct Spread {
  int64_t min = 0;
  int64_t median = 0;  // of an even number the lower one
  int64_t max = 0;
};
// Zeros for no values.
Spread SpreadOf(std::vector<int64_t> values);
// Of those runs that succeeded.
Spread SpreadOf(std::span<const RunReport> reports, const Metric& metric);

// By nearest rank; zero for no values. `percent` is in [1, 100].
Duration Percentile(std::vector<Duration> values, int percent);

}  // namespace tcpip::sim

#endif  // TCPIP_TESTING_RUN_REPORT_H_
