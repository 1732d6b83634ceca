// Runs one scenario for many seeds, several at a time. Runs share nothing, so
// the result does not depend on how many.
#ifndef TOOLS_SIM_SWEEP_H_
#define TOOLS_SIM_SWEEP_H_

#include <cstdint>
#include <vector>

#include "tcpip/testing/run_report.h"
#include "tcpip/testing/scenario.h"

namespace tcpip::sim {

// One report for each of `seeds` seeds from `first_seed` on, in their order.
std::vector<RunReport> RunSeeds(const Scenario& scenario, uint64_t first_seed,
                                uint32_t seeds, uint32_t jobs);

}  // namespace tcpip::sim

#endif  // TOOLS_SIM_SWEEP_H_
