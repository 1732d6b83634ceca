#include "tools/sim/sweep.h"

#include <algorithm>
#include <atomic>
#include <thread>

namespace tcpip::sim {

std::vector<RunReport> RunSeeds(const Scenario& scenario, uint64_t first_seed,
                                uint32_t seeds, uint32_t jobs) {
  std::vector<RunReport> reports(seeds);
  std::atomic<uint32_t> next = 0;
  const auto work = [&] {
    for (uint32_t i = next++; i < seeds; i = next++) {
      reports[i] = RunScenario(scenario, first_seed + i);
    }
  };
  std::vector<std::thread> threads;
  for (uint32_t i = 1; i < std::min(jobs, seeds); ++i) {
    threads.emplace_back(work);
  }
  work();
  for (std::thread& thread : threads) thread.join();
  return reports;
}

}  // namespace tcpip::sim
