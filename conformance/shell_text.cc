#include "conformance/shell_text.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "conformance/ascii.h"

namespace conformance {
namespace {

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

}  // namespace conformance
