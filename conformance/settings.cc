#include "conformance/settings.h"

#include <charconv>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "conformance/ascii.h"
#include "tcpip/base/time.h"

namespace conformance {
namespace {

using tcpip::Duration;

// All numbers of a value: "4096 87380 6291456".
std::optional<std::vector<int64_t>> Numbers(std::string_view value) {
  std::vector<int64_t> numbers;
  for (const std::string_view part : SplitAny(value, " \t")) {
    int64_t number = 0;
    const char* end = part.data() + part.size();
    const auto [at, error] = std::from_chars(part.data(), end, number);
    if (error != std::errc() || at != end) return std::nullopt;
    numbers.push_back(number);
  }
  if (numbers.empty()) return std::nullopt;
  return numbers;
}

using Values = const std::vector<int64_t>&;

// Sets `to` when the value is in its range.
template <typename T>
bool SetNumber(T& to, int64_t value) {
  if (value < 0 || value > std::numeric_limits<T>::max()) return false;
  to = static_cast<T>(value);
  return true;
}

bool SetDuration(Duration& to, int64_t value, Duration unit) {
  if (value < 0 || value > 1'000'000'000) return false;
  to = value * unit;
  return true;
}

// The middle of three numbers is what a socket starts with.
bool SetBuffer(uint32_t& to, Values values) {
  return values.size() == 3 && SetNumber(to, values[1]);
}

// 0, 1 and 2 mean the same on Linux and FreeBSD.
bool SetEcn(HostConfig& config, Values values) {
  using tcpip::tcp::EcnMode;
  constexpr EcnMode kModes[] = {EcnMode::kOff, EcnMode::kActive,
                                EcnMode::kPassive};
  if (values[0] < 0 || values[0] >= std::ssize(kModes)) return false;
  config.stack.tcp.ecn = kModes[values[0]];
  return true;
}

constexpr Duration kSecond = Duration::Seconds(1);
constexpr Duration kMillisecond = Duration::Milliseconds(1);

struct SetRow {
  std::string_view key;
  bool (*set)(HostConfig&, Values);
  std::string_view values = "*";  // those the stack has, as in PassRow
};
constexpr SetRow kSet[] = {
    {"net.ipv4.tcp_sack",
     [](HostConfig& c, Values v) {
       c.stack.tcp.sack = v[0] != 0;
       return true;
     }},
    {"net.ipv4.tcp_timestamps",
     [](HostConfig& c, Values v) {
       c.stack.tcp.timestamps = v[0] != 0;
       return true;
     }},
    {"net.ipv4.tcp_window_scaling",
     [](HostConfig& c, Values v) {
       c.stack.tcp.window_scaling = v[0] != 0;
       return true;
     }},
    {"net.ipv4.tcp_ecn", SetEcn, "0 1 2"},  // not AccECN
    {"net.inet.tcp.ecn.enable", SetEcn, "0 1 2"},
    {"net.ipv4.tcp_syn_retries",
     [](HostConfig& c, Values v) {
       return SetNumber(c.stack.tcp.syn_retries, v[0]);
     }},
    {"net.ipv4.tcp_synack_retries",
     [](HostConfig& c, Values v) {
       return SetNumber(c.stack.tcp.synack_retries, v[0]);
     }},
    {"net.ipv4.tcp_retries2",
     [](HostConfig& c, Values v) {
       return SetNumber(c.stack.tcp.data_retries, v[0]);
     }},
    {"net.ipv4.tcp_fin_timeout",
     [](HostConfig& c, Values v) {
       return SetDuration(c.stack.tcp.fin_wait2, v[0], kSecond);
     }},
    {"net.ipv4.tcp_keepalive_time",
     [](HostConfig& c, Values v) {
       return SetDuration(c.sockets.keepalive_idle, v[0], kSecond);
     }},
    {"net.ipv4.tcp_keepalive_intvl",
     [](HostConfig& c, Values v) {
       return SetDuration(c.sockets.keepalive_interval, v[0], kSecond);
     }},
    {"net.ipv4.tcp_keepalive_probes",
     [](HostConfig& c, Values v) {
       return SetNumber(c.sockets.keepalive_count, v[0]);
     }},
    {"net.ipv4.tcp_rmem",
     [](HostConfig& c, Values v) {
       return SetBuffer(c.sockets.receive_buffer_bytes, v);
     }},
    {"net.ipv4.tcp_wmem",
     [](HostConfig& c, Values v) {
       return SetBuffer(c.sockets.send_buffer_bytes, v);
     }},
    {"net.ipv4.tcp_max_syn_backlog",
     [](HostConfig& c, Values v) {
       return SetNumber(c.stack.tcp.max_half_open, v[0]);
     }},
    {"net.ipv4.ip_default_ttl",
     [](HostConfig& c, Values v) { return SetNumber(c.stack.ttl, v[0]); }},
    {"net.inet.tcp.rfc1323",
     [](HostConfig& c, Values v) {
       c.stack.tcp.timestamps = c.stack.tcp.window_scaling = v[0] != 0;
       return true;
     }},
    {"net.inet.tcp.sack.enable",
     [](HostConfig& c, Values v) {
       c.stack.tcp.sack = v[0] != 0;
       return true;
     }},
    {"net.inet.tcp.delacktime",
     [](HostConfig& c, Values v) {
       return SetDuration(c.stack.tcp.delayed_ack, v[0], kMillisecond);
     }},
    {"net.inet.tcp.rexmit_initial",
     [](HostConfig& c, Values v) {
       return SetDuration(c.stack.tcp.initial_rto, v[0], kMillisecond);
     }},
    {"net.inet.tcp.rexmit_min",
     [](HostConfig& c, Values v) {
       return SetDuration(c.stack.tcp.min_rto, v[0], kMillisecond);
     }},
    {"net.inet.tcp.recvspace",
     [](HostConfig& c, Values v) {
       return SetNumber(c.sockets.receive_buffer_bytes, v[0]);
     }},
    {"net.inet.tcp.sendspace",
     [](HostConfig& c, Values v) {
       return SetNumber(c.sockets.send_buffer_bytes, v[0]);
     }},
};

// Keys that change nothing at these values: it is what the stack does, or what
// it does not do. "*" is any.
struct PassRow {
  std::string_view key;
  std::string_view values;  // between spaces
};
constexpr PassRow kPass[] = {
    {"net.ipv4.tcp_abort_on_overflow", "0"},
    {"net.ipv4.tcp_autocorking", "*"},  // a matter of when a link is full
    {"net.ipv4.tcp_congestion_control", "reno"},
    {"net.ipv4.tcp_default_init_rwnd", "*"},
    {"net.ipv4.tcp_dsack", "1"},
    {"net.ipv4.tcp_early_retrans", "0"},
    {"net.ipv4.tcp_fack", "0"},
    {"net.ipv4.tcp_fastopen", "0"},
    {"net.ipv4.tcp_limit_output_bytes", "*"},
    {"net.ipv4.tcp_low_latency", "*"},
    {"net.ipv4.tcp_min_tso_segs", "*"},
    {"net.ipv4.tcp_mtu_probing", "0"},
    {"net.ipv4.tcp_no_metrics_save", "*"},  // a host has seen no connection
    {"net.ipv4.tcp_notsent_lowat", "4294967295 -1"},
    {"net.ipv4.tcp_recovery", "0"},
    {"net.ipv4.tcp_reordering", "3"},
    {"net.ipv4.tcp_slow_start_after_idle", "0"},
    {"net.ipv4.tcp_stdurg", "0"},
    {"net.ipv4.tcp_tso_win_divisor", "*"},
    {"net.ipv4.ip_no_pmtu_disc", "0"},
    {"net.core.wmem_max", "*"},
    {"net.core.rmem_max", "*"},
    {"net.inet.tcp.hostcache.purgenow", "*"},
    {"net.inet.tcp.hostcache.purge", "*"},
    {"net.inet.tcp.insecure_rst", "0"},
    {"net.inet.tcp.insecure_syn", "0"},
    {"net.inet.tcp.blackhole", "0"},
    {"net.inet.tcp.drop_synfin", "0"},
    {"net.inet.tcp.log_in_vain", "*"},
    {"net.inet.tcp.log_debug", "*"},
    {"net.inet.tcp.fastopen.server_enable", "0"},
    {"net.inet.tcp.fastopen.client_enable", "0"},
    {"kern.ipc.maxsockbuf", "*"},
};

// Between spaces, or "*" for any.
bool IsAmong(std::string_view value, std::string_view values) {
  if (values == "*") return true;
  const auto all = SplitAny(values, " ");
  return std::find(all.begin(), all.end(), value) != all.end();
}

bool IsPassed(const Setting& setting) {
  return std::any_of(
      std::begin(kPass), std::end(kPass), [&setting](const PassRow& row) {
        return row.key == setting.key && IsAmong(setting.value, row.values);
      });
}

}  // namespace

absl::Status Apply(const Setting& setting, HostConfig& config) {
  config.sysctls.emplace_back(setting.key, setting.value);
  if (IsPassed(setting)) return absl::OkStatus();
  for (const SetRow& row : kSet) {
    if (row.key != setting.key) continue;
    if (!IsAmong(setting.value, row.values)) break;
    const auto values = Numbers(setting.value);
    if (values && row.set(config, *values)) return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrCat(setting.key, " cannot be ", setting.value));
  }
  return absl::UnimplementedError(
      absl::StrCat(setting.key, "=", setting.value,
                   " is not in the table of settings that this host follows"));
}

}  // namespace conformance
