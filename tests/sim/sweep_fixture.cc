#include "tests/sim/sweep_fixture.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "gtest/gtest.h"
#include "tcpip/testing/run_report.h"

namespace tcpip::sim {

SweepTable::SweepTable(const std::string& title,
                       std::vector<const char*> figures)
    : figures_(std::move(figures)) {
  text_ = absl::StrCat(title, ": least, median and most\n");
  std::string names = absl::StrFormat("%-24s", "");
  for (const char* figure : figures_) {
    absl::StrAppendFormat(&names, " |%22s", figure);
  }
  absl::StrAppend(&text_, names, "\n");
}

void SweepTable::AddRow(const std::string& name, const Scenario& scenario,
                        uint64_t seeds) {
  std::vector<RunReport> reports;
  for (uint64_t seed = 1; seed <= seeds; ++seed) {
    reports.push_back(RunScenario(scenario, seed));
    EXPECT_EQ(reports.back().problem, "") << name << ", seed " << seed;
  }
  absl::StrAppendFormat(&text_, "%-24s", name);
  for (const char* figure : figures_) {
    const Metric& metric = MetricNamed(figure);
    const Spread spread = SpreadOf(reports, metric);
    absl::StrAppendFormat(&text_, " |%8d%7d%7d", Whole(metric, spread.min),
                          Whole(metric, spread.median),
                          Whole(metric, spread.max));
  }
  text_ += "\n";
}

}  // namespace tcpip::sim
