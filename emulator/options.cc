#include "emulator/options.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <limits>
#include <optional>
#include <set>

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

// What the kernel takes, with a zero behind it.
constexpr size_t kLongestName = 15;
// More often is only printed, and later is never.
constexpr tcpip::Duration kLeastInterval = tcpip::Duration::Milliseconds(100);
constexpr tcpip::Duration kMostInterval = tcpip::Duration::Seconds(1'000'000);

absl::Status ReadDevice(absl::string_view text, DeviceOption& to) {
  const size_t at = text.find('@');
  const absl::string_view where =
      at == absl::string_view::npos ? "" : text.substr(at + 1);
  to.name = std::string(text.substr(0, at));
  if (to.name.empty() || to.name.size() > kLongestName ||
      to.name.find_first_of("/ \t\n") != std::string::npos ||
      (at != absl::string_view::npos && where.empty())) {
    return absl::InvalidArgumentError(
        absl::StrCat("\"", text, "\": write it like emu0 or emu0@NAMESPACE, ",
                     "the name with at most ", kLongestName, " letters"));
  }
  if (where.empty()) return absl::OkStatus();
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
                  : absl::InvalidArgumentError(absl::StrCat(
                        "\"", text, "\": is a whole number, from 0 to ",
                        std::numeric_limits<uint64_t>::max()));
     }},
    {"--stats-every",
     [](Text text, Options& o) {
       const absl::StatusOr<tcpip::Duration> time = ParseDuration(text);
       if (!time.ok()) return time.status();
       if (*time < kLeastInterval || *time > kMostInterval) {
         return absl::InvalidArgumentError(
             absl::StrCat("\"", text, "\": is from 100ms to 1000000s"));
       }
       o.stats_every = *time;
       return absl::OkStatus();
     }},
};

// What is wrong with the flags together.
absl::Status CheckTogether(const Options& options,
                           const std::set<absl::string_view>& given) {
  for (const absl::string_view name : {"--left", "--right"}) {
    if (!given.contains(name)) return Wrong(name, "is needed, see --help");
  }
  if (options.left.name == options.right.name &&
      options.left.namespace_path == options.right.namespace_path) {
    return Wrong("--right", "is the device that --left is");
  }
  for (const absl::string_view name : {"--there", "--back"}) {
    if (given.contains("--both") && given.contains(name)) {
      return Wrong(name, "is said by --both already");
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Options> ParseOptions(std::span<const std::string> args) {
  Options options;
  std::set<absl::string_view> given;
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
    if (!given.insert(flag->name).second) return Wrong(name, "is given twice");
    if (!value) {
      if (++i == args.size()) return Wrong(name, "needs a value");
      value = args[i];
    }
    const absl::Status status = flag->read(*value, options);
    if (!status.ok()) return Wrong(name, status.message());
  }
  const absl::Status together = CheckTogether(options, given);
  if (!together.ok()) return together;
  return options;
}

}  // namespace emulator
