// The chart of a flow: what was sent and acknowledged, the congestion window
// and what is in flight, and the round-trip time, over time.
#ifndef TOOLS_SIM_FLOW_CHART_H_
#define TOOLS_SIM_FLOW_CHART_H_

#include <span>
#include <string>

#include "tcpip/base/time.h"
#include "tcpip/testing/flow_watch.h"
#include "tools/sim/svg_chart.h"

namespace tcpip::sim {

// `start` is where time begins.
Chart FlowChart(std::span<const FlowEvent> events, Instant start,
                const std::string& title, const std::string& subtitle);

}  // namespace tcpip::sim

#endif  // TOOLS_SIM_FLOW_CHART_H_
