// The flags of sim: one table of what they are called, what they may be, and
// what they set. command_line reads arguments by it.
#ifndef TOOLS_SIM_FLAGS_H_
#define TOOLS_SIM_FLAGS_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "emulator/path_model.h"
#include "tcpip/testing/scenario.h"

namespace tcpip::sim {

// What has been said so far. Some of it means something only together.
struct Draft {
  Scenario scenario;  // but for its link's MTU and paths
  emulator::PathConfig path;
  std::optional<uint32_t> ack_loss;
  std::optional<emulator::PathConfig> there;  // instead of `path`
  std::optional<emulator::PathConfig> back;
  uint32_t mss = 0;
  bool usual_queue = false;

  uint64_t first_seed = 1;
  uint32_t seeds = 0;
  uint32_t jobs = 0;
  std::string plot;
  bool verbose = false;
  bool help = false;

  std::string why;  // the last value was refused, where there is more to say
};

enum class About : uint8_t { kScenario, kPath, kRuns };

struct Flag {
  std::string_view name;
  std::string_view values;  // what it may be; "" for a flag without a value
  std::string_view usual;   // read before the flags given; "": nothing is
  std::string_view help;
  bool (*set)(Draft&, std::string_view value);  // false: it may not be that
  About about = About::kScenario;
  // Without this flag, or this value of it, it would mean nothing.
  std::string_view needs = "";
};

std::span<const Flag> Flags();

// The scenario that a draft comes to.
Scenario ScenarioOf(const Draft& draft);

}  // namespace tcpip::sim

#endif  // TOOLS_SIM_FLAGS_H_
