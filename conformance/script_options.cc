#include "conformance/script_options.h"

#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "conformance/host_config.h"
#include "tcpip/base/time.h"
#include "tcpip/wire/address.h"

namespace conformance {
namespace {

using tcpip::Duration;

template <typename T>
bool ReadNumber(std::string_view text, T& to) {
  T number = 0;
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || at != end) return false;
  to = number;
  return true;
}

// "ipv4_mapped_ipv6" is the original's spelling.
bool ReadIpVersion(std::string value, RunOptions& options) {
  for (char& c : value) {
    if (c == '_') c = '-';
  }
  const std::optional<IpMode> mode = ParseIpMode(value);
  if (mode && !options.ip_is_given) SetIpMode(*mode, options.host);
  return mode.has_value();
}

bool ReadAddress(std::string_view text, tcpip::IpAddress& to) {
  const auto address = tcpip::IpAddress::Parse(text);
  if (address) to = *address;
  return address.has_value();
}

// A strict run is exact whatever the script allows.
bool ReadTolerance(std::string_view text, RunOptions& options) {
  int64_t us = 0;
  if (!ReadNumber(text, us) || us < 0) return false;
  if (!options.strict) options.tolerance.fixed = Duration::Microseconds(us);
  return true;
}

struct Row {
  std::string_view name;
  bool (*set)(RunOptions&, const std::string& value);
};
constexpr Row kRows[] = {
    {"ip_version",
     [](RunOptions& o, const std::string& v) { return ReadIpVersion(v, o); }},
    {"local_ip",
     [](RunOptions& o, const std::string& v) {
       return ReadAddress(v, o.host.local.address);
     }},
    {"remote_ip",
     [](RunOptions& o, const std::string& v) {
       return ReadAddress(v, o.host.remote);
     }},
    {"mtu", [](RunOptions& o,
               const std::string& v) { return ReadNumber(v, o.host.mtu); }},
    {"bind_port",
     [](RunOptions& o, const std::string& v) {
       return ReadNumber(v, o.bind_port);
     }},
    {"connect_port",
     [](RunOptions& o, const std::string& v) {
       return ReadNumber(v, o.connect_port);
     }},
    {"tolerance_usecs",
     [](RunOptions& o, const std::string& v) { return ReadTolerance(v, o); }},
    {"strict_segments",
     [](RunOptions& o, const std::string&) {
       return o.strict_segments = true;
     }},
    // Ticks are always looked at in strict runs, and are of 1 ms.
    {"tcp_ts_tick_usecs",
     [](RunOptions&, const std::string& v) { return v == "1000" || v == "0"; }},
    // How the original prints and where it runs.
    {"verbose", [](RunOptions&, const std::string&) { return true; }},
    {"non_fatal", [](RunOptions&, const std::string&) { return true; }},
    {"speed", [](RunOptions&, const std::string&) { return true; }},
    {"gateway_ip", [](RunOptions&, const std::string&) { return true; }},
    {"netmask_ip", [](RunOptions&, const std::string&) { return true; }},
    {"define", [](RunOptions&, const std::string&) { return true; }},
    {"D", [](RunOptions&, const std::string&) { return true; }},
};

}  // namespace

absl::Status Apply(const ScriptOption& option, RunOptions& options) {
  for (const Row& row : kRows) {
    if (row.name != option.name) continue;
    if (row.set(options, option.value)) return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrCat("--", option.name, " cannot be ", option.value));
  }
  return absl::UnimplementedError(
      absl::StrCat("--", option.name, " is not an option that is known"));
}

}  // namespace conformance
