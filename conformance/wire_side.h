// WireSide: the packets of a script. Injects those of the peer, and compares
// those of the host under test with the ones expected.
#ifndef CONFORMANCE_WIRE_SIDE_H_
#define CONFORMANCE_WIRE_SIDE_H_

#include <deque>
#include <optional>

#include "conformance/flow_book.h"
#include "conformance/host.h"
#include "conformance/journal.h"
#include "conformance/outcome.h"
#include "conformance/packet_codec.h"
#include "conformance/packet_compare.h"
#include "conformance/script.h"
#include "tcpip/base/time.h"

namespace conformance {

// When a packet has to leave the host.
struct Window {
  tcpip::Duration from;
  tcpip::Duration until;
  tcpip::Duration slack;  // before the one and after the other
  bool any = false;       // whenever it likes
};

struct WireRules {
  CompareRules compare;
  bool strict_segments = false;  // see RunOptions
};

class WireSide {
 public:
  // All outlive it.
  WireSide(Host& host, FlowBook& flows, Journal& journal,
           const WireRules& rules)
      : host_(host), flows_(flows), journal_(journal), rules_(rules) {}

  Ended Inject(const PacketSpec& packet);
  // The next packet of the host must be this one.
  Ended Expect(const PacketSpec& expected, const Window& window);
  // Nothing may have been sent that nobody expected.
  Ended CheckLeftovers();

 private:
  std::optional<SentPacket> Next(tcpip::Duration until);
  // Adds to `seen` what follows it, up to the expected length.
  void JoinMore(const PacketSpec& expected, tcpip::Duration until,
                SeenPacket& seen);
  Ended Judge(const PacketSpec& expected, const Window& window,
              tcpip::Duration at, const SeenPacket& seen);

  Host& host_;
  FlowBook& flows_;
  Journal& journal_;
  WireRules rules_;
  std::deque<SentPacket> put_back_;
};

}  // namespace conformance

#endif  // CONFORMANCE_WIRE_SIDE_H_
