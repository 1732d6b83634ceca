// A path in words, as people write it on a command line and read it in a
// report:
//
//   rate 100Mbit/s, delay 50ms, jitter 7.5ms, reorder, loss 1%, queue 64KiB
//
// One spelling for the emulator, the simulator and tests; docs/emulator.md
// lists the words. Numbers are decimal and exact: no float decides anything.
#ifndef EMULATOR_PATH_SPEC_H_
#define EMULATOR_PATH_SPEC_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "emulator/path_model.h"
#include "tcpip/base/time.h"

namespace emulator {

// INVALID_ARGUMENT names the word and says how it is written. An empty text is
// a path that does nothing. Outages count from Instant(): see StartingAt.
absl::StatusOr<PathConfig> ParsePathSpec(absl::string_view text);

// The text that gives this config, with the words that say something, in the
// order above.
std::string ToText(const PathConfig& config);

// "7.5ms", with units ns, us, ms and s; the same rules as in a path.
absl::StatusOr<tcpip::Duration> ParseDuration(absl::string_view text);

}  // namespace emulator

#endif  // EMULATOR_PATH_SPEC_H_
