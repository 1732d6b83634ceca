// The command line of pkt as a value.
#ifndef CONFORMANCE_COMMAND_LINE_H_
#define CONFORMANCE_COMMAND_LINE_H_

#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "conformance/suite.h"

namespace conformance {

struct CommandLine {
  SuiteOptions suite;
  std::vector<std::string> paths;
  std::string junit;  // files to write; "" for none
  std::string json;
  bool help = false;
};

// `args` without the program's name. `threads` is what there are of cores.
// INVALID_ARGUMENT, naming the argument and what it may be.
absl::StatusOr<CommandLine> ParseCommandLine(std::span<const std::string> args,
                                             int threads);

// What --help prints.
std::string Usage();

}  // namespace conformance

#endif  // CONFORMANCE_COMMAND_LINE_H_
