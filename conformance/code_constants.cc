#include "conformance/code_constants.h"

#include <span>

namespace conformance {
namespace {

struct Constant {
  std::string_view name;
  int64_t value;
};

// Linux's name, then FreeBSD's where it differs; without their prefixes.
constexpr Constant kStates[] = {
    {"ESTABLISHED", 1},   {"SYN_SENT", 2},   {"SYN_RECV", 3},
    {"SYN_RECEIVED", 3},  {"FIN_WAIT1", 4},  {"FIN_WAIT_1", 4},
    {"FIN_WAIT2", 5},     {"FIN_WAIT_2", 5}, {"TIME_WAIT", 6},
    {"CLOSE", 7},         {"CLOSED", 7},     {"CLOSE_WAIT", 8},
    {"LAST_ACK", 9},      {"LISTEN", 10},    {"CLOSING", 11},
    {"NEW_SYN_RECV", 12},
};

constexpr std::string_view kStatePrefixes[] = {"TCP_", "TCPS_", "TCPI_"};

constexpr Constant kOthers[] = {
    {"TCP_CA_Open", 0},          {"TCP_CA_Disorder", 1},
    {"TCP_CA_CWR", 2},           {"TCP_CA_Recovery", 3},
    {"TCP_CA_Loss", 4},          {"TCPI_OPT_TIMESTAMPS", 1},
    {"TCPI_OPT_SACK", 2},        {"TCPI_OPT_WSCALE", 4},
    {"TCPI_OPT_ECN", 8},         {"TCPI_OPT_ECN_SEEN", 16},
    {"TCPI_OPT_SYN_DATA", 32},   {"TCPI_OPT_USEC_TS", 64},
    {"TCPI_OPT_TFO_CHILD", 128}, {"TCP_INFINITE_SSTHRESH", 0x7fffffff},
};

std::optional<int64_t> Find(std::span<const Constant> table,
                            std::string_view name) {
  for (const Constant& constant : table) {
    if (constant.name == name) return constant.value;
  }
  return std::nullopt;
}

}  // namespace

std::optional<int64_t> FindCodeConstant(std::string_view name) {
  if (const auto value = Find(kOthers, name)) return value;
  for (const std::string_view prefix : kStatePrefixes) {
    if (name.starts_with(prefix)) {
      return Find(kStates, name.substr(prefix.size()));
    }
  }
  return std::nullopt;
}

}  // namespace conformance
