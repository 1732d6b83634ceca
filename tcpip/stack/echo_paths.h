// EchoPaths: whom pings were answered to lately, and what routers have said of
// these answers. RFC 1191 3, RFC 8201 4, RFC 5927 7.
//
// Anybody can have us answer a ping in the name of any host, and quote the
// answer. So what is learned here is for answers alone; connections and
// datagrams go by path_mtu, which believes what cannot be quoted by guessing.
//
// Bounded as recent_destinations and path_mtu are. Used by stack/icmp_input;
// what is old is forgotten when somebody asks, without a timer.
#ifndef TCPIP_STACK_ECHO_PATHS_H_
#define TCPIP_STACK_ECHO_PATHS_H_

#include <cstddef>
#include <cstdint>

#include "tcpip/base/time.h"
#include "tcpip/network/path_mtu.h"
#include "tcpip/stack/recent_destinations.h"
#include "tcpip/wire/address.h"

namespace tcpip {

class EchoPaths {
 public:
  explicit EchoPaths(const ip::PathMtuLimits& limits) : mtus_(limits) {}

  // A packet of this size passes wherever a path is believed to lead.
  bool PassesAnywhere(size_t size, IpFamily family) const {
    return size <= mtus_.Floor(family);
  }

  // An answer leaves for `remote` now, by a way that is known to take `mtu`
  // bytes otherwise. How much it takes.
  uint32_t OnAnswer(uint16_t echo_id, const IpAddress& remote, uint32_t mtu,
                    Instant now) {
    answered_.Add(echo_id, remote);
    mtus_.OnTimer(now);
    return mtus_.Find(remote, mtu);
  }

  bool HasAnswered(uint16_t echo_id, const IpAddress& remote) const {
    return answered_.Has(echo_id, remote);
  }
  // Somebody on the way of such an answer takes no more than `reported`.
  void OnTooBig(const IpAddress& remote, uint32_t reported, uint32_t link_mtu,
                Instant now) {
    mtus_.OnTooBig(remote, reported, link_mtu, now);
  }

 private:
  RecentDestinations answered_;  // by identifier
  ip::PathMtuCache mtus_;
};

}  // namespace tcpip

#endif  // TCPIP_STACK_ECHO_PATHS_H_
