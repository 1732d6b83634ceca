#include "conformance/icmp_names.h"

#include <charconv>
#include <cstdint>
#include <span>

#include "absl/strings/str_cat.h"

namespace conformance {
namespace {

using tcpip::IpFamily;

struct CodeName {
  std::string_view name;
  uint8_t code;
};

struct TypeName {
  std::string_view name;
  uint8_t type;
  std::span<const CodeName> codes;
};

constexpr CodeName kUnreachable4[] = {
    {"net_unreachable", 0},
    {"host_unreachable", 1},
    {"protocol_unreachable", 2},
    {"port_unreachable", 3},
    {"frag_needed", 4},
    {"source_route_failed", 5},
    {"net_unknown", 6},
    {"host_unknown", 7},
    {"source_host_isolated", 8},
    {"net_prohibited", 9},
    {"host_prohibited", 10},
    {"net_unreachable_for_tos", 11},
    {"host_unreachable_for_tos", 12},
    {"packet_filtered", 13},
    {"precedence_violation", 14},
    {"precedence_cutoff", 15},
};
constexpr CodeName kUnreachable6[] = {
    {"no_route", 0},         {"admin_prohibited", 1},
    {"not_neighbour", 2},    {"address_unreachable", 3},
    {"port_unreachable", 4},
};
constexpr CodeName kTimeExceeded[] = {
    {"ttl_exceeded", 0},
    {"reassembly_timeout", 1},
};
constexpr CodeName kParameterProblem6[] = {
    {"header_field", 0},
    {"unrecognized_next_header", 1},
    {"unrecognized_option", 2},
};

constexpr TypeName kTypes4[] = {
    {"echo_reply", 0, {}},         {"unreachable", 3, kUnreachable4},
    {"source_quench", 4, {}},      {"redirect", 5, {}},
    {"echo_request", 8, {}},       {"time_exceeded", 11, kTimeExceeded},
    {"parameter_problem", 12, {}},
};
constexpr TypeName kTypes6[] = {
    {"unreachable", 1, kUnreachable6},
    {"packet_too_big", 2, {}},
    {"time_exceeded", 3, kTimeExceeded},
    {"parameter_problem", 4, kParameterProblem6},
    {"echo_request", 128, {}},
    {"echo_reply", 129, {}},
};

std::span<const TypeName> TypesOf(IpFamily family) {
  if (family == IpFamily::kIpv4) return kTypes4;
  return kTypes6;
}

std::optional<uint8_t> Number(std::string_view text) {
  uint8_t number = 0;
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || at != end) return std::nullopt;
  return number;
}

}  // namespace

std::optional<tcpip::wire::IcmpTypeCode> IcmpNumbers(IpFamily family,
                                                     std::string_view type,
                                                     std::string_view code) {
  std::optional<uint8_t> type_number = Number(type);
  std::optional<uint8_t> code_number = code.empty() ? 0 : Number(code);
  for (const TypeName& known : TypesOf(family)) {
    if (known.name == type) type_number = known.type;
    if (type_number != known.type) continue;
    for (const CodeName& c : known.codes) {
      if (c.name == code) code_number = c.code;
    }
  }
  if (!type_number || !code_number) return std::nullopt;
  return tcpip::wire::IcmpTypeCode{*type_number, *code_number};
}

std::pair<std::string, std::string> IcmpName(IpFamily family, uint8_t type,
                                             uint8_t code) {
  std::string code_name = code == 0 ? "" : absl::StrCat(code);
  for (const TypeName& known : TypesOf(family)) {
    if (known.type != type) continue;
    for (const CodeName& c : known.codes) {
      if (c.code == code) code_name = std::string(c.name);
    }
    return {std::string(known.name), code_name};
  }
  return {absl::StrCat(type), code_name};
}

}  // namespace conformance
