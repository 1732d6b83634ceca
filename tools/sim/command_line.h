// The command line of sim as a value.
#ifndef TOOLS_SIM_COMMAND_LINE_H_
#define TOOLS_SIM_COMMAND_LINE_H_

#include <cstdint>
#include <span>
#include <string>

#include "absl/status/statusor.h"
#include "tcpip/testing/scenario.h"

namespace tcpip::sim {

struct CommandLine {
  Scenario scenario;
  uint64_t first_seed = 1;
  uint32_t seeds = 0;
  uint32_t jobs = 0;
  std::string plot;  // the file to write; "" for none
  bool verbose = false;
  bool help = false;

  // The flags given that make the scenario, to be given again.
  std::string scenario_flags;
  std::string task;  // "bulk of 5MB"
  std::string path;  // "100Mbps, RTT 30ms, ..."
};

// `args` without the program's name; `cores` is how many jobs are usual.
// INVALID_ARGUMENT, naming the flag and what it may be.
absl::StatusOr<CommandLine> ParseCommandLine(std::span<const std::string> args,
                                             uint32_t cores);

// What --help prints.
std::string Usage();

}  // namespace tcpip::sim

#endif  // TOOLS_SIM_COMMAND_LINE_H_
