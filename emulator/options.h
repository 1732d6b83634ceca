// The command line of the emulator.
#ifndef EMULATOR_OPTIONS_H_
#define EMULATOR_OPTIONS_H_

#include <cstdint>
#include <span>
#include <string>

#include "absl/status/statusor.h"
#include "emulator/path_model.h"
#include "tcpip/base/time.h"

namespace emulator {

// A TUN device and where it is.
struct DeviceOption {
  std::string name;
  std::string namespace_path;  // empty: the network namespace we are in
};

struct Options {
  DeviceOption left;
  DeviceOption right;
  PathConfig there;  // outages count from Instant()
  PathConfig back;
  uint64_t seed = 1;
  tcpip::Duration stats_every;  // zero: not at all
  bool help = false;            // nothing else counts
};

// What --help prints.
extern const char kUsage[];

// `args` without the program's name; "--flag value" or "--flag=value".
// INVALID_ARGUMENT says which flag is wrong, and how it is written.
absl::StatusOr<Options> ParseOptions(std::span<const std::string> args);

}  // namespace emulator

#endif  // EMULATOR_OPTIONS_H_
