#include "cmd/netstackd/options.h"

#include <algorithm>
#include <fstream>
#include <functional>
#include <sstream>
#include <string_view>
#include <utility>

#include <toml++/toml.h>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "tcpip/wire/address.h"

namespace netstack {
namespace {

using tcpip::Duration;

enum class Kind {
  kText,
  kList,  // may be repeated; a first value replaces the default
  kNumber,
  kSwitch,  // --flag, --flag on|off, --flag=on|off
  kTime,    // seconds, or with a unit: 500ms, 10s, 2m
  kFlagOnly,
};

struct Setting {
  const char* name;
  Kind kind;
  const char* value;  // for the help text
  const char* help;
  // Judges and stores one value.
  std::function<absl::Status(DaemonOptions&, const std::string&)> set;
};

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
      if (text.substr(digits) == unit && length * n <= kLongestTime) {
        return to = length * n, absl::OkStatus();
      }
    }
  }
  return Bad(text, "a time such as 500ms, 10s or 2m, at most a day");
}

absl::Status AddCidr(const std::string& text, std::vector<std::string>& to) {
  if (!tcpip::Cidr::Parse(text).has_value()) {
    return Bad(text, "an address with prefix length such as 10.0.0.2/24");
  }
  to.push_back(text);
  return absl::OkStatus();
}

absl::Status AddListen(const std::string& text, std::vector<std::string>& to) {
  const bool is_unix = text.rfind("unix:///", 0) == 0;
  const bool is_tcp = text.rfind("tcp://", 0) == 0;
  if (!is_unix && !is_tcp) {
    return Bad(text, "unix:///PATH or tcp://127.0.0.1:PORT");
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
  to.push_back(text);
  return absl::OkStatus();
}

absl::Status SetDeviceName(const std::string& text, std::string& to) {
  if (text.empty() || text.size() > 15 || text.find('/') != std::string::npos ||
      text.find(' ') != std::string::npos) {
    return Bad(text, "a device name of 1 to 15 characters");
  }
  to = text;
  return absl::OkStatus();
}

absl::Status SetLogLevel(const std::string& text, std::string& to) {
  for (const char* level : {"debug", "info", "warn", "error"}) {
    if (text == level) return to = text, absl::OkStatus();
  }
  return Bad(text, "debug, info, warn or error");
}

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
         return SetNumber(v, 576, 65535, o.mtu);
       }},
      {"address", Kind::kList, "CIDR",
       "address of the stack, such as 10.0.0.2/24; may be repeated",
       [](O& o, const S& v) { return AddCidr(v, o.address); }},
      {"route", Kind::kList, "CIDR",
       "send this through the TUN; may be repeated [everything]",
       [](O& o, const S& v) { return AddCidr(v, o.route); }},
      {"any-address", Kind::kSwitch, "on|off",
       "take packets for any destination [off]",
       [](O& o, const S& v) { return SetSwitch(v, o.any_address); }},
      {"listen", Kind::kList, "URL",
       "serve gRPC here: unix:///PATH or tcp://127.0.0.1:PORT; may be "
       "repeated [unix:///run/netstack/netstack.sock]",
       [](O& o, const S& v) { return AddListen(v, o.listen); }},
      {"max-streams", Kind::kNumber, "N",
       "streams, listeners and datagram sockets at once [65536]",
       [](O& o, const S& v) {
         return SetNumber(v, 1, 10'000'000, o.max_streams);
       }},
      {"drain-timeout", Kind::kTime, "TIME",
       "on SIGTERM wait this long for streams to end [10s]",
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

const Setting* Find(std::string_view name) {
  for (const Setting& s : Settings()) {
    if (name == s.name) return &s;
  }
  return nullptr;
}

// A list given anew replaces what was there (the default, or the file's).
void ClearList(const Setting& setting, DaemonOptions& options) {
  const std::string_view name = setting.name;
  if (name == "address") options.address.clear();
  if (name == "route") options.route.clear();
  if (name == "listen") options.listen.clear();
}

absl::StatusOr<std::string> ValueText(const toml::node& node,
                                      const Setting& setting) {
  switch (setting.kind) {
    case Kind::kText:
    case Kind::kList:
      if (const auto v = node.value_exact<std::string>()) return *v;
      return absl::InvalidArgumentError("must be a string");
    case Kind::kTime:
      if (const auto v = node.value_exact<std::string>()) return *v;
      [[fallthrough]];
    case Kind::kNumber:
      if (const auto v = node.value_exact<int64_t>()) return absl::StrCat(*v);
      return absl::InvalidArgumentError(setting.kind == Kind::kTime
                                            ? "must be a time such as \"10s\""
                                            : "must be a whole number");
    case Kind::kSwitch:
      if (const auto v = node.value_exact<bool>()) {
        return std::string(*v ? "on" : "off");
      }
      return absl::InvalidArgumentError("must be true or false");
    case Kind::kFlagOnly:
      return absl::InvalidArgumentError("is a flag only");
  }
  return absl::InternalError("no such kind");
}

absl::Status ApplyNode(const toml::node& node, const Setting& setting,
                       DaemonOptions& options) {
  const absl::StatusOr<std::string> text = ValueText(node, setting);
  if (!text.ok()) return text.status();
  return setting.set(options, *text);
}

absl::Status ApplyKey(const toml::node& node, const Setting& setting,
                      DaemonOptions& options) {
  if (setting.kind != Kind::kList) return ApplyNode(node, setting, options);
  ClearList(setting, options);
  const toml::array* array = node.as_array();
  if (array == nullptr) return ApplyNode(node, setting, options);
  for (const toml::node& element : *array) {
    absl::Status status = ApplyNode(element, setting, options);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status ApplyConfigFile(const std::string& path, DaemonOptions& options) {
  std::ifstream file(path);
  if (!file) {
    return absl::InvalidArgumentError(
        absl::StrCat("--config: cannot read '", path, "'"));
  }
  std::ostringstream text;
  text << file.rdbuf();
  return ApplyConfigText(path, text.str(), options);
}

struct Given {
  const Setting* setting = nullptr;  // null: --config
  std::string value;
};

absl::Status FlagError(absl::string_view name, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("--", name, ": ", what));
}

bool IsSwitchValue(const std::string& text) {
  bool ignored;
  return SetSwitch(text, ignored).ok();
}

// The flag at args[i], in any of the forms "--name", "--name=value" and "--name
// value"; moves `i` behind it.
absl::StatusOr<Given> TakeFlag(const std::vector<std::string>& args,
                               size_t& i) {
  std::string name = args[i++];
  std::optional<std::string> value;
  if (name == "-c") name = "--config";
  if (name == "-h") name = "--help";
  if (const size_t equals = name.find('='); equals != std::string::npos) {
    value = name.substr(equals + 1);
    name.resize(equals);
  }
  const bool is_flag = name.rfind("--", 0) == 0;
  if (is_flag) name.erase(0, 2);
  const Setting* setting = is_flag ? Find(name) : nullptr;
  if (setting == nullptr && !(is_flag && name == "config")) {
    return absl::InvalidArgumentError(absl::StrCat(
        args[i - 1], ": unknown flag; netstackd --help lists them"));
  }
  const Kind kind = setting == nullptr ? Kind::kText : setting->kind;
  if (kind == Kind::kFlagOnly) {
    if (value.has_value()) return FlagError(name, "takes no value");
    return Given{setting, ""};
  }
  if (!value.has_value()) {
    const bool has_next = i < args.size();
    if (kind == Kind::kSwitch && !(has_next && IsSwitchValue(args[i]))) {
      return Given{setting, "on"};
    }
    if (!has_next) return FlagError(name, "needs a value");
    value = args[i++];
  }
  return Given{setting, *std::move(value)};
}

absl::Status ApplyFlags(const std::vector<Given>& given,
                        DaemonOptions& options) {
  std::vector<const Setting*> cleared;
  for (const auto& [setting, value] : given) {
    if (setting->kind == Kind::kList &&
        std::find(cleared.begin(), cleared.end(), setting) == cleared.end()) {
      ClearList(*setting, options);
      cleared.push_back(setting);
    }
    const absl::Status status = setting->set(options, value);
    if (!status.ok()) return FlagError(setting->name, status.message());
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status ApplyConfigText(const std::string& name, const std::string& text,
                             DaemonOptions& options) {
  const toml::parse_result parsed = toml::parse(text, name);
  if (!parsed) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, ":", parsed.error().source().begin.line, ": ",
                     std::string(parsed.error().description())));
  }
  for (const auto& [key, node] : parsed.table()) {
    const std::string at = absl::StrCat(name, ":", node.source().begin.line,
                                        ": ", std::string(key.str()));
    const Setting* setting = Find(key.str());
    if (setting == nullptr) {
      return absl::InvalidArgumentError(
          absl::StrCat(at, ": unknown key; netstackd --help lists them"));
    }
    const absl::Status status = ApplyKey(node, *setting, options);
    if (!status.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat(at, ": ", status.message()));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<DaemonOptions> ParseDaemonOptions(
    const std::vector<std::string>& args) {
  std::vector<Given> given;
  DaemonOptions options;
  for (size_t i = 0; i < args.size();) {
    absl::StatusOr<Given> flag = TakeFlag(args, i);
    if (!flag.ok()) return flag.status();
    if (flag->setting != nullptr) {
      given.push_back(*std::move(flag));
      continue;
    }
    absl::Status status = ApplyConfigFile(flag->value, options);
    if (!status.ok()) return status;
  }
  // After the file, wherever --config stood.
  absl::Status status = ApplyFlags(given, options);
  if (!status.ok()) return status;
  return options;
}

std::string DaemonHelp() {
  std::string text =
      "netstackd: a TCP/IP stack on a TUN device, its sockets served by gRPC\n"
      "\n"
      "  netstackd --tun nst0 --address 10.0.0.2/24\n"
      "\n"
      "  -c, --config FILE       TOML file with these names as keys; flags "
      "override it\n";
  for (const Setting& s : Settings()) {
    std::string left = absl::StrCat("      --", s.name, " ", s.value);
    left.resize(std::max<size_t>(left.size() + 1, 26), ' ');
    absl::StrAppend(&text, left, s.help, "\n");
  }
  absl::StrAppend(&text,
                  "\nSIGTERM and SIGINT drain and stop; a second one stops at "
                  "once.\nExit: 0 stopped, 1 failed while running, 2 usage or "
                  "configuration,\n      3 not permitted, 4 device missing, "
                  "busy or of another kind.\n");
  return text;
}

}  // namespace netstack
