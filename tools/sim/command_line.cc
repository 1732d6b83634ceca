#include "tools/sim/command_line.h"

#include <limits>
#include <map>
#include <optional>
#include <string_view>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tools/sim/quantity.h"

namespace tcpip::sim {
namespace {

// IPv4 and TCP without options.
constexpr uint32_t kHeaders = 40;
constexpr uint32_t kMaxMss = 65'535 - kHeaders;

// What is known when all flags have been read.
struct Draft {
  CommandLine line;
  emulator::PathConfig path;
  std::optional<uint32_t> ack_loss;
  uint32_t mss = 0;
  bool usual_queue = false;
  std::map<std::string_view, std::string> texts;  // by flag

  Scenario& scenario() { return line.scenario; }
};

enum class About : uint8_t { kScenario, kRuns };

struct Flag {
  std::string_view name;
  std::string_view values;  // "" for a flag without one
  std::string_view usual;   // read before the flags given; "": nothing is
  std::string_view help;
  bool (*set)(Draft&, std::string_view value);
  About about = About::kScenario;
};

template <typename T>
bool Put(const std::optional<T>& value, T& to) {
  if (value) to = *value;
  return value.has_value();
}

// Of a range, into any integer type that has it.
template <typename T>
bool Put(const std::optional<uint64_t>& value, uint64_t min, uint64_t max,
         T& to) {
  if (!value || *value < min || *value > max) return false;
  to = static_cast<T>(*value);
  return true;
}

constexpr uint64_t kMax32 = std::numeric_limits<uint32_t>::max();
constexpr uint64_t kMaxBytes = uint64_t{1} << 40;

bool PutSize32(std::string_view text, uint32_t& to) {
  return Put(ParseSize(text), 1, kMax32, to);
}

// "A/B" in two.
struct Pair {
  std::string_view first;
  std::string_view second;
};
Pair Split(std::string_view text) {
  const size_t slash = text.find('/');
  if (slash == std::string_view::npos) return {text, ""};
  return {text.substr(0, slash), text.substr(slash + 1)};
}

bool SetSizeAndInterval(std::string_view text, uint32_t& bytes,
                        Duration& interval) {
  const auto [size, time] = Split(text);
  return PutSize32(size, bytes) && Put(ParseTime(time), interval) &&
         interval > Duration::Zero();
}

bool SetApp(Draft& draft, std::string_view value) {
  return Put(ParseAppKind(value), draft.scenario().app);
}

bool SetTurn(Draft& draft, std::string_view value) {
  const auto [request, response] = Split(value);
  return PutSize32(request, draft.scenario().request_bytes) &&
         PutSize32(response, draft.scenario().response_bytes);
}

bool SetRate(Draft& draft, std::string_view value) {
  return Put(ParseRate(value), draft.path.rate);
}

bool SetRtt(Draft& draft, std::string_view value) {
  const std::optional<Duration> rtt = ParseTime(value);
  if (rtt) draft.path.delay = *rtt / 2;
  return rtt.has_value();
}

bool SetQueue(Draft& draft, std::string_view value) {
  draft.path.queue_bytes = emulator::PathConfig::kUnlimited;
  draft.path.queue_packets = emulator::PathConfig::kUnlimited;
  draft.usual_queue = value == "bdp";
  if (draft.usual_queue) return true;
  if (value.ends_with("p")) {
    value.remove_suffix(1);
    return Put(ParseCount(value), 1, kMax32, draft.path.queue_packets);
  }
  return PutSize32(value, draft.path.queue_bytes);
}

bool SetHold(Draft& draft, std::string_view value) {
  const auto [share, time] = Split(value);
  return Put(ParseShare(share), draft.path.hold) &&
         Put(ParseTime(time), draft.path.hold_for);
}

bool SetCongestion(Draft& draft, std::string_view value) {
  draft.scenario().stack.tcp.congestion = tcp::CongestionAlgorithm::kReno;
  return value == "reno";
}

bool SetBuffers(Draft& draft, std::string_view value) {
  tcp::SocketSettings& settings = draft.scenario().settings;
  return PutSize32(value, settings.send_buffer_bytes) &&
         PutSize32(value, settings.receive_buffer_bytes);
}

constexpr Flag kFlags[] = {
    {"--app", "bulk|echo|request|slow-reader|on-off", "bulk",
     "what the two hosts do", SetApp},
    {"--bytes", "SIZE, such as 5MB or 64KiB", "5MB", "how much of it",
     [](Draft& draft, std::string_view value) {
       return Put(ParseSize(value), 1, kMaxBytes, draft.scenario().bytes);
     }},
    {"--turn", "SIZE/SIZE, such as 100B/10KB", "100B/10KB",
     "request and answer, of --app request", SetTurn},
    {"--read", "SIZE/TIME, such as 64KiB/10ms", "64KiB/10ms",
     "what is read, and how often, of --app slow-reader",
     [](Draft& draft, std::string_view value) {
       return SetSizeAndInterval(value, draft.scenario().read_bytes,
                                 draft.scenario().read_interval);
     }},
    {"--burst", "SIZE/TIME, such as 100KB/200ms", "100KB/200ms",
     "what is written, and how often, of --app on-off",
     [](Draft& draft, std::string_view value) {
       return SetSizeAndInterval(value, draft.scenario().burst_bytes,
                                 draft.scenario().burst_interval);
     }},
    {"--rate", "RATE, such as 100Mbps or 1.5Gbps", "100Mbps",
     "of the bottleneck, each way; 0Mbps: there is none", SetRate},
    {"--rtt", "TIME, such as 30ms", "30ms", "there and back, without queues",
     SetRtt},
    {"--queue", "SIZE, packets such as 100p, or bdp", "bdp",
     "before the bottleneck; bdp: rate times RTT, ten packets at least",
     SetQueue},
    {"--loss", "SHARE, such as 1% or 0.05%", "0%", "of packets, each way",
     [](Draft& draft, std::string_view value) {
       return Put(ParseShare(value), draft.path.loss);
     }},
    {"--ack-loss", "SHARE, such as 1% or 0.05%", "",
     "another share on the way back",
     [](Draft& draft, std::string_view value) {
       draft.ack_loss = ParseShare(value);
       return draft.ack_loss.has_value();
     }},
    {"--jitter", "TIME, such as 5ms", "0ms", "added to the delay, at random",
     [](Draft& draft, std::string_view value) {
       return Put(ParseTime(value), draft.path.jitter);
     }},
    {"--reorder", "", "", "jitter makes packets overtake each other",
     [](Draft& draft, std::string_view) { return draft.path.reorder = true; }},
    {"--hold", "SHARE/TIME, such as 3%/30ms", "0%/0ms",
     "some packets with data come so much later than others", SetHold},
    {"--duplicate", "SHARE, such as 1% or 0.05%", "0%",
     "of packets arrive twice",
     [](Draft& draft, std::string_view value) {
       return Put(ParseShare(value), draft.path.duplicate);
     }},
    {"--mss", "NUMBER from 48 to 65495", "1460",
     "bytes of a full segment, with its options",
     [](Draft& draft, std::string_view value) {
       return Put(ParseCount(value), tcp::kMinMss, kMaxMss, draft.mss);
     }},
    {"--congestion", "reno", "reno", "the sender's algorithm", SetCongestion},
    {"--delayed-ack", "TIME, such as 5ms", "5ms",
     "how long a receiver waits for a second segment",
     [](Draft& draft, std::string_view value) {
       return Put(ParseTime(value), draft.scenario().stack.tcp.delayed_ack);
     }},
    {"--buffers", "SIZE, such as 4MiB", "4MiB",
     "of sockets: what is sent or received ahead", SetBuffers},
    {"--offload", "", "", "super-segments, cut and merged by the link",
     [](Draft& draft, std::string_view) {
       return draft.scenario().link.offload = true;
     }},
    {"--limit", "TIME, such as 600s", "600s", "after it a run has failed",
     [](Draft& draft, std::string_view value) {
       return Put(ParseTime(value), draft.scenario().limit);
     }},
    {"--seeds", "NUMBER from 1 to 100000", "10", "how many runs",
     [](Draft& draft, std::string_view value) {
       return Put(ParseCount(value), 1, 100'000, draft.line.seeds);
     },
     About::kRuns},
    {"--seed", "NUMBER", "1", "of the first run; the next has the next",
     [](Draft& draft, std::string_view value) {
       return Put(ParseCount(value), draft.line.first_seed);
     },
     About::kRuns},
    {"--jobs", "NUMBER from 1 to 1000", "",
     "runs at a time; all cores unless given",
     [](Draft& draft, std::string_view value) {
       return Put(ParseCount(value), 1, 1'000, draft.line.jobs);
     },
     About::kRuns},
    {"--plot", "FILE", "", "draws the first run as SVG",
     [](Draft& draft, std::string_view value) {
       draft.line.plot = value;
       return !value.empty();
     },
     About::kRuns},
    {"--verbose", "", "", "a line for every run",
     [](Draft& draft, std::string_view) { return draft.line.verbose = true; },
     About::kRuns},
    {"--help", "", "", "prints this",
     [](Draft& draft, std::string_view) { return draft.line.help = true; },
     About::kRuns},
};

const Flag* FindFlag(std::string_view name) {
  for (const Flag& flag : kFlags) {
    if (flag.name == name) return &flag;
  }
  return nullptr;
}

absl::Status Apply(const Flag& flag, const std::string& value, Draft& draft) {
  if (!flag.set(draft, value)) {
    return absl::InvalidArgumentError(
        absl::StrCat(std::string(flag.name), " is ", std::string(flag.values),
                     ", not \"", value, "\""));
  }
  draft.texts[flag.name] = value;
  return absl::OkStatus();
}

// As ParseSize reads it.
std::string SizeText(uint32_t bytes) {
  return bytes % 1000 == 0 ? absl::StrCat(bytes / 1000, "KB")
                           : absl::StrCat(bytes, "B");
}

std::string TaskText(Draft& draft) {
  const auto text = [&draft](std::string_view flag) {
    return draft.texts[flag];
  };
  std::string it = absl::StrCat(text("--app"), " of ", text("--bytes"));
  switch (draft.scenario().app) {
    case AppKind::kRequest:
      absl::StrAppend(&it, " in turns of ", text("--turn"));
      break;
    case AppKind::kSlowReader:
      absl::StrAppend(&it, ", ", text("--read"));
      break;
    case AppKind::kOnOff:
      absl::StrAppend(&it, ", ", text("--burst"));
      break;
    case AppKind::kBulk:
    case AppKind::kEcho:
      break;
  }
  return it;
}

std::string PathText(Draft& draft) {
  const auto text = [&draft](std::string_view flag) {
    return draft.texts[flag];
  };
  std::string it = absl::StrCat(
      text("--rate"), ", RTT ", text("--rtt"), ", loss ", text("--loss"),
      draft.ack_loss ? absl::StrCat(" there and ", text("--ack-loss"), " back")
                     : " each way");
  if (draft.path.jitter > Duration::Zero()) {
    absl::StrAppend(&it, ", jitter ", text("--jitter"),
                    draft.path.reorder ? " that reorders" : "");
  }
  if (draft.path.hold > 0) absl::StrAppend(&it, ", hold ", text("--hold"));
  if (draft.path.duplicate > 0) {
    absl::StrAppend(&it, ", duplicate ", text("--duplicate"));
  }
  absl::StrAppend(
      &it, ", queue ",
      draft.usual_queue ? SizeText(draft.path.queue_bytes) : text("--queue"));
  absl::StrAppend(&it, "; MSS ", draft.mss, ", ", text("--congestion"),
                  draft.scenario().link.offload ? ", offload" : "");
  return it;
}

CommandLine Finish(Draft& draft) {
  SimLinkConfig& link = draft.scenario().link;
  link.mtu = draft.mss + kHeaders;
  if (draft.usual_queue && !draft.path.rate.IsZero()) {
    draft.path.queue_bytes = UsualQueue(draft.path, link.mtu);
  }
  link.there = link.back = draft.path;
  if (draft.ack_loss) link.back.loss = *draft.ack_loss;
  draft.line.task = TaskText(draft);
  draft.line.path = PathText(draft);
  return draft.line;
}

}  // namespace

absl::StatusOr<CommandLine> ParseCommandLine(std::span<const std::string> args,
                                             uint32_t cores) {
  Draft draft;
  draft.line.jobs = cores;
  for (const Flag& flag : kFlags) {
    if (flag.usual.empty()) continue;
    absl::Status status = Apply(flag, std::string(flag.usual), draft);
    if (!status.ok()) return status;
  }
  for (size_t i = 0; i < args.size(); ++i) {
    const size_t equals = args[i].find('=');
    const std::string name = args[i].substr(0, equals);
    const Flag* flag = FindFlag(name);
    if (flag == nullptr) {
      return absl::InvalidArgumentError(
          absl::StrCat("there is no flag ", name, "; --help lists them"));
    }
    std::string value;
    if (equals != std::string::npos) {
      value = args[i].substr(equals + 1);
    } else if (!flag->values.empty() && i + 1 < args.size()) {
      value = args[++i];
    }
    absl::Status status = Apply(*flag, value, draft);
    if (!status.ok()) return status;
    if (flag->about == About::kScenario) {
      absl::StrAppend(&draft.line.scenario_flags, name,
                      value.empty() ? "" : " ", value, " ");
    }
  }
  return Finish(draft);
}

std::string Usage() {
  std::string text =
      "sim [FLAGS]\n\n"
      "Runs two hosts of this stack over a path, in virtual time, once for "
      "each\n"
      "seed, and prints what came of it. The same flags and seed always give\n"
      "the same packets. Exits with 0 when all runs succeeded, 1 when one\n"
      "failed, 2 when it could not begin.\n\n";
  for (const Flag& flag : kFlags) {
    absl::StrAppendFormat(
        &text, "  %s %s\n      %s%s\n", std::string(flag.name),
        std::string(flag.values), std::string(flag.help),
        flag.usual.empty()
            ? ""
            : absl::StrCat("; ", std::string(flag.usual), " unless given"));
  }
  return text;
}

}  // namespace tcpip::sim
