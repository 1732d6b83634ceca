// The topology most tests want: two hosts and a link between them.
//
//   first  10.0.0.1  2001:db8::1  --- there --->
//   second 10.0.0.2  2001:db8::2  <--- back ----
//
// Below an MTU of 1280 there is no IPv6.
#ifndef TCPIP_TESTING_TOPOLOGY_H_
#define TCPIP_TESTING_TOPOLOGY_H_

#include <cstdint>
#include <string>

#include "tcpip/stack/config.h"
#include "tcpip/testing/sim_host.h"
#include "tcpip/testing/sim_link.h"
#include "tcpip/testing/simulation.h"
#include "tcpip/wire/address.h"

namespace tcpip::sim {

struct TwoHosts {
  TwoHosts(uint64_t seed, const SimLinkConfig& config,
           const StackConfig& stack = {});

  SimHost& host(Side side) { return side == kFirst ? first : second; }
  static IpEndpoint Endpoint(Side side, IpFamily family, uint16_t port);

  // Every violation so far, one a line; a test expects "".
  std::string Violations() const;
  // What the stacks keep after all is over, or "".
  std::string Leftovers();

  Simulation simulation;
  SimHost first;
  SimHost second;
  SimLink link;
};

}  // namespace tcpip::sim

#endif  // TCPIP_TESTING_TOPOLOGY_H_
