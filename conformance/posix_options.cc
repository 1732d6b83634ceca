#include "conformance/posix_options.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "conformance/call_try.h"
#include "conformance/linux_constants.h"
#include "tcpip/base/time.h"

namespace conformance {
namespace {

using call::Linger;
using call::OptionValue;
using tcpip::Duration;

constexpr int kMinSendBuffer = 4608;  // as getsockopt() shows them
constexpr int kMinReceiveBuffer = 2304;
constexpr int kMaxKeepaliveSeconds = 32767;
constexpr int kMaxKeepaliveCount = 127;

int SecondsOf(Duration duration) {
  return static_cast<int>(duration.milliseconds() / 1000);
}

// Linux's rule: what is asked for is capped, and doubled for bookkeeping. Of a
// send buffer both halves hold bytes here; of a receive buffer one half is the
// window.
int Doubled(int asked, int limit, int least) {
  return std::max(
      std::min(static_cast<uint32_t>(asked), static_cast<uint32_t>(limit)) * 2,
      static_cast<uint32_t>(least));
}

CallResult SetSeconds(int seconds, Duration& to) {
  if (seconds < 1 || seconds > kMaxKeepaliveSeconds) {
    return Failed(Linux("EINVAL"));
  }
  to = Duration::Seconds(seconds);
  return Value(0);
}

CallResult SetLinger(const Linger& linger, SocketOptions& options) {
  if (linger.onoff != 0 && linger.seconds != 0) {
    return Unsupported("option SO_LINGER with a time");
  }
  options.linger = {linger.onoff != 0 ? 1 : 0, 0};
  return Value(0);
}

CallResult SetCongestion(const std::string& name) {
  if (name == "reno") return Value(0);
  return Unsupported(absl::StrCat("congestion control ", name));
}

struct Row {
  int level;
  int name;
  bool tcp_only;
  OptionValue (*get)(const SocketOptions&);
  // Null: read only. The value is of the kind that `get` gives.
  CallResult (*set)(const OptionValue&, SocketOptions&);
};

using In = const OptionValue&;
using From = const SocketOptions&;
using To = SocketOptions&;

int Int(In value) { return std::get<int>(value); }

// An option that is on or off.
template <auto Group, auto Flag>
constexpr Row Switch(int level, int name, bool tcp_only) {
  return {level, name, tcp_only,
          [](From o) -> OptionValue { return o.*Group.*Flag ? 1 : 0; },
          [](In v, To o) {
            o.*Group.*Flag = Int(v) != 0;
            return Value(0);
          }};
}

using tcpip::BindRules;
using tcpip::tcp::SocketSettings;
constexpr auto kSettings = &SocketOptions::settings;
constexpr auto kRules = &SocketOptions::rules;
constexpr int kSocketLevel = Linux("SOL_SOCKET");
constexpr int kTcpLevel = Linux("SOL_TCP");

const Row kRows[] = {
    Switch<kRules, &BindRules::reuse_address>(kSocketLevel,
                                              Linux("SO_REUSEADDR"), false),
    Switch<kRules, &BindRules::reuse_port>(kSocketLevel, Linux("SO_REUSEPORT"),
                                           false),
    Switch<kRules, &BindRules::v6_only>(Linux("SOL_IPV6"), Linux("IPV6_V6ONLY"),
                                        false),
    Switch<kSettings, &SocketSettings::keepalive>(kSocketLevel,
                                                  Linux("SO_KEEPALIVE"), true),
    Switch<kSettings, &SocketSettings::no_delay>(kTcpLevel,
                                                 Linux("TCP_NODELAY"), true),
    {kSocketLevel, Linux("SO_SNDBUF"), true,
     [](From o) -> OptionValue {
       return static_cast<int>(o.settings.send_buffer_bytes);
     },
     [](In v, To o) {
       o.settings.send_buffer_bytes =
           Doubled(Int(v), o.max_send_buffer, kMinSendBuffer);
       return Value(0);
     }},
    {kSocketLevel, Linux("SO_RCVBUF"), true,
     [](From o) -> OptionValue {
       return static_cast<int>(o.settings.receive_buffer_bytes * 2);
     },
     [](In v, To o) {
       o.settings.receive_buffer_bytes =
           Doubled(Int(v), o.max_receive_buffer, kMinReceiveBuffer) / 2;
       return Value(0);
     }},
    {kSocketLevel, Linux("SO_LINGER"), true,
     [](From o) -> OptionValue { return o.linger; },
     [](In v, To o) { return SetLinger(std::get<Linger>(v), o); }},
    {kSocketLevel, Linux("SO_ERROR"), true,
     [](From) -> OptionValue { return 0; }, nullptr},
    {kTcpLevel, Linux("TCP_INFO"), true, [](From) -> OptionValue { return 0; },
     nullptr},
    {kTcpLevel, Linux("TCP_KEEPIDLE"), true,
     [](From o) -> OptionValue { return SecondsOf(o.settings.keepalive_idle); },
     [](In v, To o) { return SetSeconds(Int(v), o.settings.keepalive_idle); }},
    {kTcpLevel, Linux("TCP_KEEPINTVL"), true,
     [](From o) -> OptionValue {
       return SecondsOf(o.settings.keepalive_interval);
     },
     [](In v, To o) {
       return SetSeconds(Int(v), o.settings.keepalive_interval);
     }},
    {kTcpLevel, Linux("TCP_KEEPCNT"), true,
     [](From o) -> OptionValue { return int{o.settings.keepalive_count}; },
     [](In v, To o) {
       if (Int(v) < 1 || Int(v) > kMaxKeepaliveCount) {
         return Failed(Linux("EINVAL"));
       }
       o.settings.keepalive_count = static_cast<uint8_t>(Int(v));
       return Value(0);
     }},
    {kTcpLevel, Linux("TCP_USER_TIMEOUT"), true,
     [](From o) -> OptionValue {
       return static_cast<int>(o.settings.user_timeout.milliseconds());
     },
     [](In v, To o) {
       if (Int(v) < 0) return Failed(Linux("EINVAL"));
       o.settings.user_timeout = Duration::Milliseconds(Int(v));
       return Value(0);
     }},
    {kTcpLevel, Linux("TCP_CONGESTION"), true,
     [](From) -> OptionValue { return std::string("reno"); },
     [](In v, To) { return SetCongestion(std::get<std::string>(v)); }},
};

bool IsV6Only(const Row& row) {
  return row.level == Linux("SOL_IPV6") && row.name == Linux("IPV6_V6ONLY");
}

// The row of an option that this socket has; else what there is to say.
struct Search {
  const Row* row = nullptr;
  CallResult failure = {};
};

Search FindRow(int level, int name, const SocketFacts& facts,
               int error_of_other_protocol) {
  if (level == kTcpLevel && !facts.is_tcp) {
    return {.failure = Failed(error_of_other_protocol)};
  }
  if (level == Linux("SOL_IPV6") && !facts.is_ipv6) {
    return {.failure = Failed(Linux("ENOPROTOOPT"))};
  }
  for (const Row& row : kRows) {
    if (row.level != level || row.name != name) continue;
    if (row.tcp_only && !facts.is_tcp) break;
    return {.row = &row};
  }
  const std::string_view text = OptionName(level, name);
  if (text.empty()) return {.failure = Failed(Linux("ENOPROTOOPT"))};
  return {.failure = Unsupported(absl::StrCat("option ", std::string(text)))};
}

}  // namespace

CallResult SetOption(const call::SetOption& call, const SocketFacts& facts,
                     SocketOptions& options) {
  const Search search =
      FindRow(call.level, call.name, facts, Linux("ENOPROTOOPT"));
  if (search.row == nullptr) return search.failure;
  const Row& row = *search.row;
  if (row.set == nullptr) return Failed(Linux("ENOPROTOOPT"));
  if (call.value.index() != row.get(options).index()) {
    return Failed(Linux("EINVAL"));
  }
  if (IsV6Only(row) && facts.is_bound) return Failed(Linux("EINVAL"));
  return row.set(call.value, options);
}

CallResult GetOption(const call::GetOption& call, const SocketFacts& facts,
                     const SocketOptions& options) {
  const Search search =
      FindRow(call.level, call.name, facts, Linux("EOPNOTSUPP"));
  if (search.row == nullptr) return search.failure;
  CallResult result = Value(0);
  result.option = search.row->get(options);
  return result;
}

}  // namespace conformance
