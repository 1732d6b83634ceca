#include "tools/sim/flags.h"

#include <limits>

#include "emulator/chance.h"
#include "emulator/path_spec.h"
#include "emulator/quantity.h"
#include "tcpip/base/time.h"
#include "tcpip/base/units.h"
#include "tcpip/transport/tcp/config.h"

namespace tcpip::sim {
namespace {

// IPv4 and TCP without options.
constexpr uint32_t kHeaders = 40;
constexpr uint32_t kMaxMss = 65'535 - kHeaders;

// So that products of two stay in 64 bits.
constexpr uint64_t kMost = std::numeric_limits<int64_t>::max();

std::optional<uint64_t> Parse(std::string_view text, emulator::Units units,
                              uint64_t most = kMost) {
  return emulator::ParseQuantity({text.data(), text.size()}, units, most);
}

// Far below where the arithmetic of time ends.
constexpr Duration kMaxTime = Duration::Seconds(3600);
constexpr Duration kMaxLimit = Duration::Seconds(1'000'000);

std::optional<Duration> ParseTime(std::string_view text,
                                  Duration most = kMaxTime) {
  const auto ns =
      Parse(text, emulator::kTimes, static_cast<uint64_t>(most.nanoseconds()));
  if (!ns) return std::nullopt;
  return Duration::Nanoseconds(static_cast<int64_t>(*ns));
}

std::optional<Bandwidth> ParseRate(std::string_view text) {
  const auto rate = Parse(text, emulator::kRates);
  if (!rate) return std::nullopt;
  return Bandwidth::BitsPerSecond(*rate);
}

std::optional<uint64_t> ParseSize(std::string_view text) {
  return Parse(text, emulator::kSizes);
}

std::optional<uint32_t> ParseShare(std::string_view text) {
  const auto share = Parse(text, emulator::kChances, emulator::kPerMillion);
  if (!share) return std::nullopt;
  return static_cast<uint32_t>(*share);
}

std::optional<uint64_t> ParseCount(std::string_view text) {
  return Parse(text, emulator::kNumbers);
}

bool SetPath(Draft& draft, std::string_view value,
             std::optional<emulator::PathConfig>& to) {
  auto path = emulator::ParsePathSpec({value.data(), value.size()});
  if (path.ok()) {
    to = *std::move(path);
  } else {
    draft.why = std::string(path.status().message());
  }
  return path.ok();
}

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
  return Put(ParseAppKind(value), draft.scenario.app);
}

bool SetTurn(Draft& draft, std::string_view value) {
  const auto [request, response] = Split(value);
  return PutSize32(request, draft.scenario.request_bytes) &&
         PutSize32(response, draft.scenario.response_bytes);
}

bool SetRate(Draft& draft, std::string_view value) {
  return Put(ParseRate(value), draft.path.rate);
}

bool SetRtt(Draft& draft, std::string_view value) {
  const std::optional<Duration> rtt = ParseTime(value);
  if (!rtt) return false;
  draft.path.delay = *rtt / 2;
  return true;
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
  draft.scenario.stack.tcp.congestion = tcp::CongestionAlgorithm::kReno;
  return value == "reno";
}

bool SetBuffers(Draft& draft, std::string_view value) {
  tcp::SocketSettings& settings = draft.scenario.settings;
  return PutSize32(value, settings.send_buffer_bytes) &&
         PutSize32(value, settings.receive_buffer_bytes);
}

constexpr Flag kFlags[] = {
    {"--app", "bulk|echo|request|slow-reader|on-off", "bulk",
     "what the two hosts do", SetApp},
    {"--bytes", "SIZE, such as 5MB or 64KiB", "5MB", "how much of it",
     [](Draft& draft, std::string_view value) {
       return Put(ParseSize(value), 1, kMaxBytes, draft.scenario.bytes);
     }},
    {"--turn", "SIZE/SIZE, such as 100B/10KB", "100B/10KB",
     "request and answer", SetTurn, About::kScenario, "--app request"},
    {"--read", "SIZE/TIME up to 3600s, such as 64KiB/10ms", "64KiB/10ms",
     "what is read, and how often",
     [](Draft& draft, std::string_view value) {
       return SetSizeAndInterval(value, draft.scenario.read_bytes,
                                 draft.scenario.read_interval);
     },
     About::kScenario, "--app slow-reader"},
    {"--burst", "SIZE/TIME up to 3600s, such as 100KB/200ms", "100KB/200ms",
     "what is written, and how often",
     [](Draft& draft, std::string_view value) {
       return SetSizeAndInterval(value, draft.scenario.burst_bytes,
                                 draft.scenario.burst_interval);
     },
     About::kScenario, "--app on-off"},
    {"--rate", "RATE, such as 100Mbps or 1.5Gbps", "100Mbps",
     "of the bottleneck, each way; 0Mbps: there is none", SetRate,
     About::kPath},
    {"--rtt", "TIME up to 3600s, such as 30ms", "30ms",
     "there and back, without queues", SetRtt, About::kPath},
    {"--queue", "SIZE, packets such as 100p, or bdp", "bdp",
     "before the bottleneck; bdp: rate times RTT, ten packets at least",
     SetQueue, About::kPath},
    {"--loss", "SHARE, such as 1% or 0.05%", "0%", "of packets, each way",
     [](Draft& draft, std::string_view value) {
       return Put(ParseShare(value), draft.path.loss);
     },
     About::kPath},
    {"--ack-loss", "SHARE, such as 1% or 0.05%", "",
     "another share on the way back",
     [](Draft& draft, std::string_view value) {
       draft.ack_loss = ParseShare(value);
       return draft.ack_loss.has_value();
     },
     About::kPath},
    {"--jitter", "TIME up to 3600s, such as 5ms", "0ms",
     "added to the delay, at random",
     [](Draft& draft, std::string_view value) {
       return Put(ParseTime(value), draft.path.jitter);
     },
     About::kPath},
    {"--reorder", "", "", "jitter makes packets overtake each other",
     [](Draft& draft, std::string_view) { return draft.path.reorder = true; },
     About::kPath, "--jitter"},
    {"--hold", "SHARE/TIME up to 3600s, such as 3%/30ms", "0%/0ms",
     "some packets with data come so much later than others", SetHold,
     About::kPath},
    {"--duplicate", "SHARE, such as 1% or 0.05%", "0%",
     "of packets arrive twice",
     [](Draft& draft, std::string_view value) {
       return Put(ParseShare(value), draft.path.duplicate);
     },
     About::kPath},
    {"--there", "PATH, such as \"rate 1Gbit/s, delay 5ms, burst 0.1%/20%\"", "",
     "the way there in the words of docs/emulator.md, instead of the flags",
     [](Draft& draft, std::string_view value) {
       return SetPath(draft, value, draft.there);
     }},
    {"--back", "PATH, such as \"delay 5ms, drop-fragments\"", "",
     "the same for the way back",
     [](Draft& draft, std::string_view value) {
       return SetPath(draft, value, draft.back);
     }},
    {"--mss", "NUMBER from 48 to 65495", "1460",
     "bytes of a full segment, with its options",
     [](Draft& draft, std::string_view value) {
       return Put(ParseCount(value), tcp::kMinMss, kMaxMss, draft.mss);
     }},
    {"--congestion", "reno", "reno", "the sender's algorithm", SetCongestion},
    {"--ecn", "", "", "both hosts use ECN, of paths that mark",
     [](Draft& draft, std::string_view) {
       draft.scenario.stack.tcp.ecn = tcp::EcnMode::kActive;
       return true;
     }},
    {"--delayed-ack", "TIME up to 3600s, such as 5ms", "5ms",
     "how long a receiver waits for a second segment",
     [](Draft& draft, std::string_view value) {
       return Put(ParseTime(value), draft.scenario.stack.tcp.delayed_ack);
     }},
    {"--buffers", "SIZE, such as 4MiB", "4MiB",
     "of sockets: what is sent or received ahead", SetBuffers},
    {"--offload", "", "", "super-segments, cut and merged by the link",
     [](Draft& draft, std::string_view) {
       return draft.scenario.link.offload = true;
     }},
    {"--limit", "TIME up to 1000000s, such as 600s", "600s",
     "after it a run has failed",
     [](Draft& draft, std::string_view value) {
       return Put(ParseTime(value, kMaxLimit), draft.scenario.limit) &&
              draft.scenario.limit > Duration::Zero();
     }},
    {"--seeds", "NUMBER from 1 to 100000", "10", "how many runs",
     [](Draft& draft, std::string_view value) {
       return Put(ParseCount(value), 1, 100'000, draft.seeds);
     },
     About::kRuns},
    {"--seed", "NUMBER", "1", "of the first run; the next has the next",
     [](Draft& draft, std::string_view value) {
       return Put(ParseCount(value), draft.first_seed);
     },
     About::kRuns},
    {"--jobs", "NUMBER from 1 to 1000", "",
     "runs at a time; all cores unless given",
     [](Draft& draft, std::string_view value) {
       return Put(ParseCount(value), 1, 1'000, draft.jobs);
     },
     About::kRuns},
    {"--plot", "FILE", "", "draws the first run as SVG",
     [](Draft& draft, std::string_view value) {
       draft.plot = value;
       return !value.empty();
     },
     About::kRuns},
    {"--verbose", "", "", "a line for every run",
     [](Draft& draft, std::string_view) { return draft.verbose = true; },
     About::kRuns},
    {"--help", "", "", "prints this",
     [](Draft& draft, std::string_view) { return draft.help = true; },
     About::kRuns},
};

}  // namespace

std::span<const Flag> Flags() { return kFlags; }

Scenario ScenarioOf(const Draft& draft) {
  Scenario scenario = draft.scenario;
  SimLinkConfig& link = scenario.link;
  link.mtu = draft.mss + kHeaders;
  link.there = draft.path;
  if (draft.usual_queue && !draft.path.rate.IsZero()) {
    link.there.queue_bytes = UsualQueue(draft.path, link.mtu);
  }
  link.back = link.there;
  if (draft.ack_loss) link.back.loss = *draft.ack_loss;
  if (draft.there) link.there = *draft.there;
  if (draft.back) link.back = *draft.back;
  return scenario;
}

}  // namespace tcpip::sim
