#include "conformance/command_line.h"

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "conformance/host_config.h"

namespace conformance {
namespace {

using Set = bool (*)(CommandLine&, const std::string& value);

struct Flag {
  std::string_view name;
  std::string_view values;  // "" for a flag without one
  std::string_view help;
  Set set;
};

bool SetMode(CommandLine& line, const std::string& value) {
  SetStrict(value == "strict", line.suite.run);
  return value == "strict" || value == "compat";
}

bool SetIp(CommandLine& line, const std::string& value) {
  const std::optional<IpMode> mode = ParseIpMode(value);
  if (mode) SetIpMode(*mode, line.suite.run.host);
  line.suite.run.ip_is_given = mode.has_value();
  return mode.has_value();
}

template <typename T>
bool SetNumber(const std::string& text, T& to) {
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, to);
  return error == std::errc() && at == end;
}

bool Define(CommandLine& line, const std::string& value) {
  const size_t equals = value.find('=');
  if (equals == std::string::npos || equals == 0) return false;
  line.suite.defines[value.substr(0, equals)] = value.substr(equals + 1);
  return true;
}

constexpr Flag kFlags[] = {
    {"--mode", "strict|compat",
     "strict: exact times, nothing unexpected, TS val and ecr; compat: the "
     "original tool's tolerances",
     SetMode},
    {"--options", "exact|set",
     "TCP options with order and padding, or as a set",
     [](CommandLine& line, const std::string& value) {
       line.suite.run.compare.options_as_set = value == "set";
       return value == "set" || value == "exact";
     }},
    {"--windows", "exact|ignore", "windows of the host under test",
     [](CommandLine& line, const std::string& value) {
       line.suite.run.compare.ignore_windows = value == "ignore";
       return value == "ignore" || value == "exact";
     }},
    {"--profile", "netstack|linux|freebsd",
     "whose settings the host has, whatever scripts say",
     [](CommandLine& line, const std::string& value) {
       line.suite.profile = ParseProfile(value);
       return line.suite.profile.has_value();
     }},
    {"--ip", "ipv4|ipv6|ipv4-mapped-ipv6", "which packets and sockets", SetIp},
    {"--backend", "stack|kernel",
     "this stack in virtual time, or the kernel of this machine (as root)",
     [](CommandLine& line, const std::string& value) {
       line.suite.backend =
           value == "kernel" ? Backend::kKernel : Backend::kStack;
       return value == "kernel" || value == "stack";
     }},
    {"-D", "NAME=VALUE", "replaces a word in scripts; again for more", Define},
    {"--isn-shift", "NUMBER",
     "added to the scripts' own ISNs, so that sequence numbers wrap",
     [](CommandLine& line, const std::string& value) {
       return SetNumber(value, line.suite.run.remote_isn_shift);
     }},
    {"--jobs", "NUMBER", "scripts at a time; all cores unless given",
     [](CommandLine& line, const std::string& value) {
       return SetNumber(value, line.suite.threads) && line.suite.threads > 0;
     }},
    {"--junit", "FILE", "writes results as JUnit's XML",
     [](CommandLine& line, const std::string& value) {
       line.junit = value;
       return !value.empty();
     }},
    {"--json", "FILE", "writes results as JSON",
     [](CommandLine& line, const std::string& value) {
       line.json = value;
       return !value.empty();
     }},
    {"--trace", "", "prints every event of every script",
     [](CommandLine& line, const std::string&) {
       return line.suite.run.trace = true;
     }},
    {"--help", "", "prints this",
     [](CommandLine& line, const std::string&) { return line.help = true; }},
};

const Flag* FindFlag(std::string_view name) {
  for (const Flag& flag : kFlags) {
    if (flag.name == name) return &flag;
  }
  return nullptr;
}

}  // namespace

absl::StatusOr<CommandLine> ParseCommandLine(std::span<const std::string> args,
                                             int threads) {
  CommandLine line;
  line.suite.threads = threads;
  SetIpMode(IpMode::kIpv4, line.suite.run.host);
  for (size_t i = 0; i < args.size(); ++i) {
    if (!args[i].starts_with("-")) {
      line.paths.push_back(args[i]);
      continue;
    }
    const size_t equals =
        args[i].starts_with("--") ? args[i].find('=') : std::string::npos;
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
    if (!flag->set(line, value)) {
      return absl::InvalidArgumentError(absl::StrCat(
          name, " is ", std::string(flag->values), ", not \"", value, "\""));
    }
  }
  if (line.paths.empty() && !line.help) {
    return absl::InvalidArgumentError(
        "which scripts? Give files, or folders of .pkt files");
  }
  return line;
}

std::string Usage() {
  std::string text =
      "pkt [FLAGS] FILE_OR_FOLDER...\n\n"
      "Runs packet scripts against this stack. Exits with 0 when none failed,\n"
      "1 when one did, 2 when it could not begin.\n\n";
  for (const Flag& flag : kFlags) {
    absl::StrAppendFormat(
        &text, "  %-38s %s\n",
        absl::StrCat(std::string(flag.name), " ", std::string(flag.values)),
        std::string(flag.help));
  }
  return text;
}

}  // namespace conformance
