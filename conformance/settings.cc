#include "conformance/settings.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>

#include "absl/strings/str_cat.h"
#include "tcpip/base/time.h"

namespace conformance {
namespace {

using tcpip::Duration;

// --- The text.

bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\r'; }

std::vector<std::string_view> SplitAny(std::string_view text,
                                       std::string_view separators) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const size_t end = std::min(text.find_first_of(separators), text.size());
    if (end > 0) parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

std::string_view Trim(std::string_view text) {
  while (!text.empty() && IsSpace(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsSpace(text.back())) text.remove_suffix(1);
  return text;
}

// Words, of which a quoted one may hold spaces: tcp_rmem="4096 8192 16384".
std::vector<std::string> Words(std::string_view command) {
  std::vector<std::string> words;
  std::string word;
  char quote = 0;
  bool any = false;
  for (const char c : command) {
    if (quote != 0 ? c == quote : c == '"' || c == '\'') {
      quote = quote != 0 ? 0 : c;
      any = true;
    } else if (quote == 0 && IsSpace(c)) {
      if (any) words.push_back(word);
      word.clear();
      any = false;
    } else {
      word += c;
      any = true;
    }
  }
  if (any) words.push_back(word);
  return words;
}

std::string_view BaseName(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

// "net.ipv4.tcp_sack" also of "/proc/sys/net/ipv4/tcp_sack".
std::string KeyOf(std::string_view written) {
  constexpr std::string_view kProc = "/proc/sys/";
  std::string key(written.starts_with(kProc) ? written.substr(kProc.size())
                                             : written);
  if (key.find('/') != std::string::npos) {
    std::replace(key.begin(), key.end(), '/', '.');
  }
  return key;
}

absl::Status NotUnderstood(std::string_view command) {
  return absl::UnimplementedError(
      absl::StrCat("`", std::string(command),
                   "` is not interpreted, and no shell is ever run"));
}

// Where output goes does not matter here: "> /dev/null", "2>&1".
std::vector<std::string> WithoutRedirections(std::vector<std::string> words) {
  std::vector<std::string> kept;
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i];
    const size_t arrow = word.find_first_not_of("0123456789&");
    if (arrow == std::string_view::npos || word[arrow] != '>') {
      kept.push_back(std::move(words[i]));
    } else if (word.back() == '>') {
      ++i;  // the file is the next word
    }
  }
  return kept;
}

// "sockstat ... | grep STATE": the state. Any other question, such as one for
// lines without it, is not understood.
std::optional<std::string> GreppedState(const std::vector<std::string>& words) {
  constexpr std::string_view kStates[] = {
      "CLOSED",      "LISTEN",     "SYN_SENT", "SYN_RCVD",
      "ESTABLISHED", "CLOSE_WAIT", "CLOSING",  "LAST_ACK",
      "FIN_WAIT_1",  "FIN_WAIT_2", "TIME_WAIT"};
  auto at = std::find(words.begin(), words.end(), "|");
  if (at == words.end() || ++at == words.end() || *at != "grep") {
    return std::nullopt;
  }
  do {
    ++at;
  } while (at != words.end() && (*at == "-q" || *at == "-w"));
  const bool last = at != words.end() && at + 1 == words.end();
  if (!last || std::find(std::begin(kStates), std::end(kStates), *at) ==
                   std::end(kStates)) {
    return std::nullopt;
  }
  return *at;
}

// The words after a sysctl or set_sysctls: key=value, or `key = value` apart.
absl::Status ReadSettings(std::string_view command,
                          const std::vector<std::string>& words,
                          ShellText& to) {
  for (size_t i = 1; i < words.size(); ++i) {
    if (words[i].starts_with("-")) continue;
    const size_t equals = words[i].find('=');
    if (equals != std::string::npos && equals > 0) {
      to.settings.push_back(
          {KeyOf(std::string_view(words[i]).substr(0, equals)),
           words[i].substr(equals + 1)});
    } else if (i + 2 < words.size() && words[i + 1] == "=") {
      to.settings.push_back({KeyOf(words[i]), words[i + 2]});
      i += 2;
    } else {
      return NotUnderstood(command);
    }
  }
  return absl::OkStatus();
}

absl::Status ReadCommand(std::string_view command, ShellText& to) {
  const std::vector<std::string> words = WithoutRedirections(Words(command));
  if (words.empty() || words[0].starts_with("#")) return absl::OkStatus();
  const std::string_view program = BaseName(words[0]);
  if (program == "sysctl" || program == "set_sysctls.py") {
    return ReadSettings(command, words, to);
  }
  if (program == "defaults.sh") {
    to.linux_profile = true;
    return absl::OkStatus();
  }
  // They put back what the others set: a host lives no longer than its script.
  if (program.starts_with("sysctl_restore") || program == "true" ||
      words.back().starts_with("/tmp/sysctl_restore")) {
    return absl::OkStatus();
  }
  if (program == "tcpdrop") {
    to.drop_connections = true;
    return absl::OkStatus();
  }
  if (program == "sockstat") {
    if (std::optional<std::string> state = GreppedState(words)) {
      to.expected_states.push_back(*std::move(state));
      return absl::OkStatus();
    }
  }
  return NotUnderstood(command);
}

// --- The table.

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

constexpr Duration kSecond = Duration::Seconds(1);
constexpr Duration kMillisecond = Duration::Milliseconds(1);

struct SetRow {
  std::string_view key;
  bool (*set)(HostConfig&, Values);
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
    {"net.ipv4.tcp_ecn", "0"},
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
    {"net.inet.tcp.ecn.enable", "0"},
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

bool IsPassed(const Setting& setting) {
  for (const PassRow& row : kPass) {
    if (row.key != setting.key) continue;
    if (row.values == "*") return true;
    for (const std::string_view value : SplitAny(row.values, " ")) {
      if (value == setting.value) return true;
    }
  }
  return false;
}

}  // namespace

absl::StatusOr<ShellText> ReadShell(std::string_view text) {
  ShellText shell;
  for (const std::string_view line : SplitAny(text, "\n;")) {
    // Each of "a && b" is run. Of "a || b" only a, as it does not fail.
    for (std::string_view rest = line; !rest.empty();) {
      const size_t end = std::min(rest.find("&&"), rest.size());
      std::string_view command = rest.substr(0, end);
      command = Trim(command.substr(0, command.find("||")));
      if (absl::Status read = ReadCommand(command, shell); !read.ok()) {
        return read;
      }
      rest.remove_prefix(std::min(end + 2, rest.size()));
    }
  }
  return shell;
}

absl::Status Apply(const Setting& setting, HostConfig& config) {
  config.sysctls.emplace_back(setting.key, setting.value);
  if (IsPassed(setting)) return absl::OkStatus();
  for (const SetRow& row : kSet) {
    if (row.key != setting.key) continue;
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
