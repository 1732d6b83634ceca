#include "emulator/options.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "emulator/path_spec.h"

namespace emulator {

const char kUsage[] =
    R"(emulator --left DEVICE --right DEVICE [--there PATH] [--back PATH]

Forwards packets between two TUN devices as a network path between them would.

  --left DEVICE, --right DEVICE
                     a TUN device, made if missing: emu0, or emu0@NAMESPACE
                     with a network namespace by its name or as a file
  --there PATH       what happens to packets from left to right, such as
                     "rate 100Mbit/s, delay 50ms, loss 1%"; see docs/emulator.md
  --back PATH        and from right to left
  --both PATH        both ways alike
  --seed N           for everything that is random; the same seed, the same luck
  --stats-every 1s   print counters so often; SIGUSR1 prints them at once
)";

namespace {

absl::Status Wrong(absl::string_view flag, absl::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat(flag, ": ", why));
}

absl::Status ReadDevice(absl::string_view text, DeviceOption& to) {
  const size_t at = text.find('@');
  to.name = std::string(text.substr(0, at));
  if (to.name.empty()) {
    return absl::InvalidArgumentError("write it like emu0 or emu0@NAMESPACE");
  }
  if (at == absl::string_view::npos) return absl::OkStatus();
  const absl::string_view where = text.substr(at + 1);
  const bool is_file = absl::string_view::npos != where.find('/');
  // Where ip-netns(8) keeps those with a name.
  to.namespace_path = absl::StrCat(is_file ? "" : "/run/netns/", where);
  return absl::OkStatus();
}

absl::Status ReadPath(absl::string_view text, PathConfig& to) {
  absl::StatusOr<PathConfig> path = ParsePathSpec(text);
  if (!path.ok()) return path.status();
  to = *std::move(path);
  return absl::OkStatus();
}

struct Flag {
  absl::string_view name;
  absl::Status (*read)(absl::string_view text, Options& to);
};

using Text = absl::string_view;

constexpr Flag kFlags[] = {
    {"--left", [](Text text, Options& o) { return ReadDevice(text, o.left); }},
    {"--right",
     [](Text text, Options& o) { return ReadDevice(text, o.right); }},
    {"--there", [](Text text, Options& o) { return ReadPath(text, o.there); }},
    {"--back", [](Text text, Options& o) { return ReadPath(text, o.back); }},
    {"--both",
     [](Text text, Options& o) {
       absl::Status status = ReadPath(text, o.there);
       o.back = o.there;
       return status;
     }},
    {"--seed",
     [](Text text, Options& o) {
       return absl::SimpleAtoi(text, &o.seed)
                  ? absl::OkStatus()
                  : absl::InvalidArgumentError("must be a whole number");
     }},
    {"--stats-every",
     [](Text text, Options& o) {
       const absl::StatusOr<tcpip::Duration> time = ParseDuration(text);
       if (time.ok()) o.stats_every = *time;
       return time.status();
     }},
};

}  // namespace

absl::StatusOr<Options> ParseOptions(std::span<const std::string> args) {
  Options options;
  for (size_t i = 0; i < args.size(); ++i) {
    absl::string_view name = args[i];
    if (name == "--help" || name == "-h") {
      options.help = true;
      return options;
    }
    std::optional<absl::string_view> value;
    if (const size_t equals = name.find('='); equals != name.npos) {
      value = name.substr(equals + 1);
      name = name.substr(0, equals);
    }
    const Flag* const flag =
        std::find_if(std::begin(kFlags), std::end(kFlags),
                     [name](const Flag& known) { return known.name == name; });
    if (flag == std::end(kFlags)) {
      return Wrong(name, "no such flag, see --help");
    }
    if (!value) {
      if (++i == args.size()) return Wrong(name, "needs a value");
      value = args[i];
    }
    const absl::Status status = flag->read(*value, options);
    if (!status.ok()) return Wrong(name, status.message());
  }
  for (const auto& [name, device] : {std::pair("--left", options.left),
                                     std::pair("--right", options.right)}) {
    if (device.name.empty()) return Wrong(name, "is needed, see --help");
  }
  return options;
}

}  // namespace emulator
