#include "conformance/linux_constants.h"

#include "absl/strings/str_cat.h"

namespace conformance {
namespace {

std::string_view NameIn(std::span<const LinuxConstant> table, int64_t value) {
  for (const LinuxConstant& constant : table) {
    if (constant.value == value) return constant.name;
  }
  return "";
}

}  // namespace

std::string_view ErrnoName(int number) { return NameIn(kErrnos, number); }

std::string_view OptionName(int level, int option) {
  switch (level) {
    case Linux("SOL_SOCKET"):
      return NameIn(kSocketOptions, option);
    case Linux("SOL_TCP"):
      return NameIn(kTcpOptions, option);
    case Linux("SOL_IP"):
      return NameIn(kIpOptions, option);
    case Linux("SOL_IPV6"):
      return NameIn(kIpv6Options, option);
    default:
      return "";
  }
}

std::string FlagsText(std::span<const LinuxConstant> flags, uint64_t value) {
  std::string text;
  const auto append = [&text](std::string_view part) {
    absl::StrAppend(&text, text.empty() ? "" : "|", std::string(part));
  };
  for (const LinuxConstant& flag : flags) {
    const uint64_t bits = static_cast<uint64_t>(flag.value);
    if (bits == 0 || (value & bits) != bits) continue;
    append(flag.name);
    value &= ~bits;
  }
  if (value != 0) append(absl::StrCat("0x", absl::Hex(value)));
  return text.empty() ? "0" : text;
}

}  // namespace conformance
