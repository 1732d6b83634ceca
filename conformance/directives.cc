#include "conformance/directives.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "conformance/ascii.h"

namespace conformance {
namespace {

// The text after `name` where the comment begins with that.
std::optional<std::string> After(std::string_view comment,
                                 std::string_view name) {
  if (!comment.starts_with(name)) return std::nullopt;
  return std::string(Trim(comment.substr(name.size())));
}

absl::Status Read(std::string_view comment, Directives& to) {
  if (const auto name = After(comment, "profile:")) {
    to.profile = ParseProfile(*name);
    if (!to.profile) {
      return absl::InvalidArgumentError(
          absl::StrCat("there is no profile \"", *name,
                       "\"; there are netstack, linux and freebsd"));
    }
  }
  if (const auto name = After(comment, "only:")) {
    to.only = ParseIpMode(*name);
    if (!to.only) {
      return absl::InvalidArgumentError(absl::StrCat(
          "only ipv4, ipv6 or ipv4-mapped-ipv6, not \"", *name, "\""));
    }
  }
  const struct {
    std::string_view name;
    std::string& text;
  } reasons[] = {{"expected-fail:", to.expected_fail},
                 {"not-on kernel:", to.not_on_kernel}};
  for (const auto& reason : reasons) {
    const auto text = After(comment, reason.name);
    if (!text) continue;
    if (text->empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat(std::string(reason.name), " needs a reason"));
    }
    reason.text = *text;
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Directives> ReadDirectives(std::string_view script) {
  Directives directives;
  while (!script.empty()) {
    const size_t end = std::min(script.find('\n'), script.size());
    const std::string_view line = Trim(script.substr(0, end));
    script.remove_prefix(std::min(end + 1, script.size()));
    if (line.empty()) continue;
    if (!line.starts_with("//")) break;
    if (absl::Status read = Read(Trim(line.substr(2)), directives);
        !read.ok()) {
      return read;
    }
  }
  return directives;
}

}  // namespace conformance
