#include "tcpip/testing/topology.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tcpip/stack/stats.h"
#include "tcpip/stack/summary.h"
#include "tcpip/transport/tcp/state.h"
#include "tcpip/wire/ipv6.h"

namespace tcpip::sim {
namespace {

constexpr IpFamily kFamilies[] = {IpFamily::kIpv4, IpFamily::kIpv6};

uint8_t PrefixLength(IpFamily family) {
  return family == IpFamily::kIpv4 ? 24 : 64;
}

}  // namespace

TwoHosts::TwoHosts(uint64_t seed, const SimLinkConfig& config,
                   const StackConfig& stack)
    : simulation(seed),
      first(simulation, "first", stack),
      second(simulation, "second", stack),
      link(simulation, first, second, config) {
  for (const Side side : {kFirst, kSecond}) {
    for (const IpFamily family : kFamilies) {
      if (family == IpFamily::kIpv6 && config.mtu < wire::kIpv6MinMtu) continue;
      const IpAddress address = Endpoint(side, family, 0).address;
      const absl::Status added = host(side).stack().AddAddress(
          link.interface(side), {address, PrefixLength(family)});
      if (!added.ok()) simulation.Violation(added.ToString());
    }
  }
}

IpEndpoint TwoHosts::Endpoint(Side side, IpFamily family, uint16_t port) {
  const char* const kAddresses[2][2] = {{"10.0.0.1", "2001:db8::1"},
                                        {"10.0.0.2", "2001:db8::2"}};
  const char* const text = kAddresses[side][family == IpFamily::kIpv4 ? 0 : 1];
  return {*IpAddress::Parse(text), port};
}

std::string TwoHosts::Violations() const {
  return absl::StrJoin(simulation.violations(), "\n");
}

std::string TwoHosts::Leftovers() {
  std::string left;
  for (const Side side : {kFirst, kSecond}) {
    SimHost& it = host(side);
    uint32_t cursor = 0;
    do {
      for (const SocketSummary& socket : it.stack().ListSockets(cursor, 100)) {
        if (socket.is_listener) continue;
        absl::StrAppend(&left, it.name(), ": ", socket.tuple.ToString(), " ",
                        std::string(tcp::ToString(socket.state)), "\n");
      }
    } while (cursor != 0);
    const StackStats stats = it.stack().Stats();
    if (stats.tcp_time_wait > 0 || stats.tcp_half_open > 0) {
      absl::StrAppend(&left, it.name(), ": ", stats.tcp_time_wait,
                      " in TIME-WAIT, ", stats.tcp_half_open, " half open\n");
    }
    if (it.pool().stats().live > 0) {
      absl::StrAppend(&left, it.name(), ": ", it.pool().stats().live,
                      " blocks\n");
    }
  }
  return left;
}

}  // namespace tcpip::sim
