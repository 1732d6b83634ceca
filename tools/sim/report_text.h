// What a sweep came to, as text for a person.
#ifndef TOOLS_SIM_REPORT_TEXT_H_
#define TOOLS_SIM_REPORT_TEXT_H_

#include <span>
#include <string>

#include "tcpip/testing/run_report.h"

namespace tcpip::sim {

// "50 runs, seeds 1 to 50: 49 complete".
std::string Completion(std::span<const RunReport> reports);

// "1527.320 ms", how long it took.
std::string TimeText(const RunReport& report);

// A line for each run, under a line of heads.
std::string RunLines(std::span<const RunReport> reports);

// The figures, one a line: least, middle and most over the runs that
// succeeded, if any did; of one run alone its own, even if it failed.
std::string SpreadTable(std::span<const RunReport> reports);

// Which runs failed and why, or which took longest, and how to run it again:
// `flags` are those that make the scenario. "" for a single run that succeeded.
std::string WorstRun(std::span<const RunReport> reports,
                     const std::string& flags);

}  // namespace tcpip::sim

#endif  // TOOLS_SIM_REPORT_TEXT_H_
