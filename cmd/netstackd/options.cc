#include "cmd/netstackd/options.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <toml++/toml.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "cmd/netstackd/settings.h"
#include "tcpip/wire/address.h"
#include "tcpip/wire/ipv6.h"

namespace netstack {
namespace {

absl::StatusOr<std::string> ValueText(const toml::node& node,
                                      const Setting& setting) {
  switch (setting.kind) {
    case Kind::kText:
    case Kind::kList:
      if (const auto v = node.value_exact<std::string>()) return *v;
      return absl::InvalidArgumentError("must be a string");
    case Kind::kTime:
    case Kind::kSize:
      if (const auto v = node.value_exact<std::string>()) return *v;
      [[fallthrough]];
    case Kind::kNumber:
      if (const auto v = node.value_exact<int64_t>()) return absl::StrCat(*v);
      return absl::InvalidArgumentError(
          setting.kind == Kind::kTime   ? "must be a time such as \"10s\""
          : setting.kind == Kind::kSize ? "must be a size such as \"512M\""
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

// "file.toml:3: tun: what is wrong"
absl::Status AtLine(const std::string& file, const toml::node& node,
                    std::string_view key, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat(
      file, ":", node.source().begin.line, ": ", std::string(key), ": ", what));
}

absl::Status ApplyNode(const std::string& file, const toml::node& node,
                       const Setting& setting, DaemonOptions& options) {
  const absl::StatusOr<std::string> text = ValueText(node, setting);
  absl::Status status = text.ok() ? setting.set(options, *text) : text.status();
  if (status.ok()) return status;
  return AtLine(file, node, setting.name, status.message());
}

absl::Status ApplyKey(const std::string& file, const toml::node& node,
                      const Setting& setting, DaemonOptions& options) {
  if (setting.list != nullptr) (options.*setting.list).clear();
  const toml::array* array =
      setting.list != nullptr ? node.as_array() : nullptr;
  if (array == nullptr) return ApplyNode(file, node, setting, options);
  for (const toml::node& element : *array) {
    absl::Status status = ApplyNode(file, element, setting, options);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

// Far more than every key; the parser is recursive.
constexpr size_t kMaxConfigBytes = 64 * 1024;

absl::Status ApplyConfigFile(const std::string& path, DaemonOptions& options) {
  errno = 0;
  std::ifstream file(path);
  if (file) file.peek();  // a directory can be opened and not be read
  if (!file && !file.eof()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--config: cannot read '", path, "': ", strerrorname_np(errno)));
  }
  std::string text(kMaxConfigBytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(file.gcount()));
  if (text.size() > kMaxConfigBytes) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--config: '", path, "' is larger than ", kMaxConfigBytes, " bytes"));
  }
  return ApplyConfigText(path, text, options);
}

struct Given {
  const Setting* setting = nullptr;  // null: --config
  std::string value;
};

absl::Status FlagError(std::string_view name, absl::string_view what) {
  return OfFlag(name, absl::InvalidArgumentError(what));
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
  const Setting* setting = is_flag ? FindSetting(name) : nullptr;
  if (setting == nullptr && !(is_flag && name == "config")) {
    return absl::InvalidArgumentError(absl::StrCat(
        args[i - 1],
        args[i - 1].rfind('-', 0) == 0 ? ": unknown flag" : " is not a flag",
        "; netstackd --help lists them"));
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
    if (setting->list != nullptr &&
        std::find(cleared.begin(), cleared.end(), setting) == cleared.end()) {
      (options.*setting->list).clear();
      cleared.push_back(setting);
    }
    absl::Status status = OfFlag(setting->name, setting->set(options, value));
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

// What only the whole can be judged for.
absl::Status CheckTogether(const DaemonOptions& options) {
  for (const std::string& text : options.address) {
    if (options.mtu != 0 && options.mtu < tcpip::wire::kIpv6MinMtu &&
        tcpip::Cidr::Parse(text)->address.IsIpv6()) {
      return FlagError(
          "mtu",
          absl::StrCat(options.mtu, " is too small for the address ", text,
                       "; IPv6 needs at least ", tcpip::wire::kIpv6MinMtu));
    }
  }
  if (options.tun_fd.has_value() && options.shards > 1) {
    return FlagError("shards", absl::StrCat("--tun-fd is one queue, and ",
                                            options.shards, " are needed"));
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
    const Setting* setting = FindSetting(key.str());
    if (setting == nullptr) {
      return AtLine(name, node, key.str(),
                    "unknown key; netstackd --help lists them");
    }
    absl::Status status = ApplyKey(name, node, *setting, options);
    if (!status.ok()) return status;
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
  if (status.ok()) status = CheckTogether(options);
  if (!status.ok()) return status;
  return options;
}

std::string DaemonHelp() {
  std::string text =
      "netstackd: a TCP/IP stack on a TUN device, its sockets served by gRPC\n"
      "\n"
      "  netstackd --tun nst0 --address 10.0.0.2/24\n"
      "\n"
      "  -c, --config FILE         TOML file with these names as keys; flags "
      "override it\n";
  for (const Setting& s : Settings()) {
    std::string left = absl::StrCat("      --", s.name, " ", s.value);
    left.resize(std::max<size_t>(left.size() + 1, 28), ' ');
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
