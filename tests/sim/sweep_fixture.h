// Tables over seeds for golden files: one row a scenario, the least, the middle
// and the most of each figure in its columns.
#ifndef TESTS_SIM_SWEEP_FIXTURE_H_
#define TESTS_SIM_SWEEP_FIXTURE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "tcpip/testing/scenario.h"

namespace tcpip::sim {

class SweepTable {
 public:
  // `title` is the first line of the table; `figures` are names of metrics.
  SweepTable(const std::string& title, std::vector<const char*> figures);

  // Runs the scenario for seeds from 1 to `seeds`. All have to succeed.
  void AddRow(const std::string& name, const Scenario& scenario,
              uint64_t seeds);

  const std::string& text() const { return text_; }

 private:
  std::vector<const char*> figures_;
  std::string text_;
};

}  // namespace tcpip::sim

#endif  // TESTS_SIM_SWEEP_FIXTURE_H_
