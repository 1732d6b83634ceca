#include "cmd/netstackd/settings.h"

#include <sys/un.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "tcpip/tun/tun_device.h"
#include "tcpip/wire/address.h"

namespace netstack {
namespace {

using tcpip::Duration;

absl::Status Bad(const std::string& value, const char* right) {
  return absl::InvalidArgumentError(
      absl::StrCat("'", value, "' is not ", right));
}

absl::Status SetNumber(const std::string& text, uint32_t low, uint32_t high,
                       uint32_t& to) {
  uint32_t n = 0;
  if (!absl::SimpleAtoi(text, &n) || n < low || n > high) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", text, "' is not a number from ", low, " to ", high));
  }
  to = n;
  return absl::OkStatus();
}

absl::Status SetDescriptor(const std::string& text, std::optional<int>& to) {
  uint32_t n = 0;
  absl::Status status = SetNumber(text, 0, 1 << 20, n);
  if (status.ok()) to = static_cast<int>(n);
  return status;
}

absl::Status SetSwitch(const std::string& text, bool& to) {
  if (text == "on" || text == "true") {
    to = true;
  } else if (text == "off" || text == "false") {
    to = false;
  } else {
    return Bad(text, "on or off");
  }
  return absl::OkStatus();
}

constexpr Duration kLongestTime = Duration::Seconds(24 * 60 * 60);

absl::Status SetTime(const std::string& text, Duration& to) {
  size_t digits = 0;
  while (digits < text.size() && text[digits] >= '0' && text[digits] <= '9') {
    ++digits;
  }
  uint32_t n = 0;
  if (absl::SimpleAtoi(text.substr(0, digits), &n)) {
    const std::pair<const char*, Duration> units[] = {
        {"ms", Duration::Milliseconds(1)},
        {"s", Duration::Seconds(1)},
        {"", Duration::Seconds(1)},
        {"m", Duration::Seconds(60)},
    };
    for (const auto& [unit, length] : units) {
      if (text.substr(digits) == unit &&
          n <= kLongestTime.nanoseconds() / length.nanoseconds()) {
        return to = length * n, absl::OkStatus();
      }
    }
  }
  return Bad(text, "a time such as 500ms, 10s or 2m, at most a day");
}

absl::Status SetMemory(const std::string& text, uint64_t& to) {
  constexpr uint64_t kLeast = uint64_t{1} << 20;
  constexpr uint64_t kMost = uint64_t{1} << 50;
  const size_t digits =
      std::min(text.find_first_not_of("0123456789"), text.size());
  uint64_t n = 0;
  if (absl::SimpleAtoi(text.substr(0, digits), &n)) {
    const std::pair<const char*, int> units[] = {
        {"", 0}, {"K", 10}, {"M", 20}, {"G", 30}, {"T", 40}};
    for (const auto& [unit, shift] : units) {
      if (text.substr(digits) == unit && n >= kLeast >> std::min(shift, 20) &&
          n <= kMost >> shift) {
        to = n << shift;
        return absl::OkStatus();
      }
    }
  }
  return Bad(
      text,
      "a size such as 512M or 2G (whole numbers, with K, M, G or T), from 1M "
      "to 1024T");
}

// Adds `text`, which no earlier value may say in other words.
absl::Status AddOnce(const std::string& text, std::vector<std::string>& to,
                     bool (*same)(const std::string&, const std::string&)) {
  for (const std::string& before : to) {
    if (same(before, text)) {
      return absl::InvalidArgumentError(
          absl::StrCat("'", text, "' stands twice"));
    }
  }
  to.push_back(text);
  return absl::OkStatus();
}

absl::Status AddAddress(const std::string& text, std::vector<std::string>& to) {
  const auto cidr = tcpip::Cidr::Parse(text);
  if (!cidr.has_value()) {
    return Bad(text, "an address such as 10.0.0.2/24");
  }
  const tcpip::IpAddress& host = cidr->address;
  if (host.IsUnspecified() || host.IsMulticast() || host.IsIpv4Broadcast() ||
      host.IsLoopback()) {
    return Bad(text, "the address of one host on a device");
  }
  if (host.IsIpv4() && cidr->prefix_length < 31 &&
      (*cidr == cidr->Masked() || cidr->IsBroadcast(host))) {
    return Bad(text, "a host's address: it is that of the whole network");
  }
  return AddOnce(text, to, [](const std::string& a, const std::string& b) {
    return tcpip::Cidr::Parse(a)->address == tcpip::Cidr::Parse(b)->address;
  });
}

absl::Status AddRoute(const std::string& text, std::vector<std::string>& to) {
  if (!tcpip::Cidr::Parse(text).has_value()) {
    return Bad(text, "a destination such as 10.0.0.0/8");
  }
  return AddOnce(text, to, [](const std::string& a, const std::string& b) {
    return tcpip::Cidr::Parse(a)->Masked() == tcpip::Cidr::Parse(b)->Masked();
  });
}

absl::Status AddListen(const std::string& text, std::vector<std::string>& to) {
  constexpr size_t kMostUnixPath = sizeof(sockaddr_un::sun_path) - 1;
  const bool is_unix = text.rfind("unix:///", 0) == 0;
  const bool is_tcp = text.rfind("tcp://", 0) == 0;
  if (!is_unix && !is_tcp) {
    return Bad(text, "unix:///PATH or tcp://127.0.0.1:PORT");
  }
  if (is_unix && text.size() - std::strlen("unix://") > kMostUnixPath) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", text, "': the path of a Unix socket has at most ",
                     kMostUnixPath, " bytes"));
  }
  if (is_tcp) {
    const auto endpoint = tcpip::IpEndpoint::Parse(text.substr(6));
    if (!endpoint.has_value()) {
      return Bad(text, "an address and port such as tcp://127.0.0.1:7000");
    }
    if (!endpoint->address.IsLoopback()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "'", text,
          "' would let anyone on the network use these sockets; only "
          "loopback addresses can be served without TLS"));
    }
  }
  return AddOnce(text, to, [](const std::string& a, const std::string& b) {
    return a == b;
  });
}

absl::Status SetDeviceName(const std::string& text, std::string& to) {
  absl::Status status = tcpip::CheckTunName(text);
  if (status.ok()) to = text;
  return status;
}

absl::Status SetEcn(const std::string& text, tcpip::tcp::EcnMode& to) {
  const std::pair<const char*, tcpip::tcp::EcnMode> modes[] = {
      {"off", tcpip::tcp::EcnMode::kOff},
      {"passive", tcpip::tcp::EcnMode::kPassive},
      {"active", tcpip::tcp::EcnMode::kActive}};
  for (const auto& [name, mode] : modes) {
    if (text == name) return to = mode, absl::OkStatus();
  }
  return Bad(text, "off, passive or active");
}

absl::Status SetLogLevel(const std::string& text, std::string& to) {
  for (const char* level : {"debug", "info", "warn", "error"}) {
    if (text == level) return to = text, absl::OkStatus();
  }
  return Bad(text, "debug, info, warn or error");
}

}  // namespace

const std::vector<Setting>& Settings() {
  using O = DaemonOptions;
  using S = std::string;
  static const auto* settings = new std::vector<Setting>{
      {"tun", Kind::kText, "NAME",
       "TUN device to attach to or make; 'nst%d' numbers it [nst0]",
       [](O& o, const S& v) { return SetDeviceName(v, o.tun); }},
      {"tun-fd", Kind::kNumber, "N", "use this open TUN descriptor instead",
       [](O& o, const S& v) { return SetDescriptor(v, o.tun_fd); }},
      {"tun-offload", Kind::kSwitch, "on|off",
       "let the device cut and checksum super-segments [on]",
       [](O& o, const S& v) { return SetSwitch(v, o.tun_offload); }},
      {"mtu", Kind::kNumber, "N", "MTU; 0 asks the device [0]",
       [](O& o, const S& v) {
         if (v == "0") return o.mtu = 0, absl::OkStatus();
         uint32_t mtu = 0;
         if (!SetNumber(v, 576, 65535, mtu).ok()) {
           return Bad(v, "0, for what the device has, or from 576 to 65535");
         }
         return o.mtu = mtu, absl::OkStatus();
       }},
      {"address", Kind::kList, "CIDR",
       "address of the stack, such as 10.0.0.2/24; may be repeated",
       [](O& o, const S& v) { return AddAddress(v, o.address); }, &O::address},
      {"route", Kind::kList, "CIDR",
       "send this through the TUN; may be repeated [everything]",
       [](O& o, const S& v) { return AddRoute(v, o.route); }, &O::route},
      {"any-address", Kind::kSwitch, "on|off",
       "take packets for any destination [off]",
       [](O& o, const S& v) { return SetSwitch(v, o.any_address); }},
      {"any-source", Kind::kSwitch, "on|off",
       "let sockets send from any address [off]",
       [](O& o, const S& v) { return SetSwitch(v, o.any_source); }},
      {"listen", Kind::kList, "URL",
       "serve gRPC here: unix:///PATH or tcp://127.0.0.1:PORT; may be "
       "repeated [unix:///run/netstack/netstack.sock]",
       [](O& o, const S& v) { return AddListen(v, o.listen); }, &O::listen},
      {"max-streams", Kind::kNumber, "N",
       "streams, listeners and datagram sockets at once [65536]",
       [](O& o, const S& v) {
         return SetNumber(v, 1, 10'000'000, o.max_streams);
       }},
      {"max-memory", Kind::kSize, "BYTES",
       "packet memory of all shards together, such as 512M or 2G; when it is "
       "short, queues and windows shrink [a quarter of the machine's]",
       [](O& o, const S& v) { return SetMemory(v, o.max_memory); }},
      {"shards", Kind::kNumber, "N",
       "threads of the stack, each with a queue of the device and an equal "
       "share of --max-memory; --max-streams counts those of all [1]",
       [](O& o, const S& v) { return SetNumber(v, 1, 64, o.shards); }},
      {"ecn", Kind::kText, "off|passive|active",
       "congestion marks of routers: ignored, used when the peer asks for "
       "them, or asked for [passive]",
       [](O& o, const S& v) { return SetEcn(v, o.ecn); }},
      {"drain-timeout", Kind::kTime, "TIME",
       "on SIGTERM wait this long for streams to end, such as 500ms, 10 "
       "(seconds) "
       "or 2m [10s]",
       [](O& o, const S& v) { return SetTime(v, o.drain_timeout); }},
      {"log-level", Kind::kText, "LEVEL", "debug, info, warn, error [info]",
       [](O& o, const S& v) { return SetLogLevel(v, o.log_level); }},
      {"pid-file", Kind::kText, "PATH", "write the process id here",
       [](O& o, const S& v) { return o.pid_file = v, absl::OkStatus(); }},
      {"ready-fd", Kind::kNumber, "N",
       "write a line to this descriptor once sockets can be used",
       [](O& o, const S& v) { return SetDescriptor(v, o.ready_fd); }},
      {"check", Kind::kFlagOnly, "", "judge the configuration and exit",
       [](O& o, const S&) { return o.check = true, absl::OkStatus(); }},
      {"version", Kind::kFlagOnly, "", "print the version and exit",
       [](O& o, const S&) { return o.version = true, absl::OkStatus(); }},
      {"help", Kind::kFlagOnly, "", "print this and exit",
       [](O& o, const S&) { return o.help = true, absl::OkStatus(); }},
  };
  return *settings;
}

const Setting* FindSetting(std::string_view name) {
  for (const Setting& s : Settings()) {
    if (name == s.name) return &s;
  }
  return nullptr;
}

bool IsSwitchValue(const std::string& text) {
  bool ignored;
  return SetSwitch(text, ignored).ok();
}

absl::Status OfFlag(std::string_view name, const absl::Status& status) {
  if (status.ok()) return status;
  return absl::Status(status.code(), absl::StrCat("--", std::string(name), ": ",
                                                  status.message()));
}

}  // namespace netstack
