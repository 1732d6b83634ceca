// Packets between a script's notation and the wire, through a FlowMap. What
// is on the wire becomes a PacketSpec with every field set, so that expected
// and seen are compared and shown as values of one type.
//
// RFC 791, 8200, 9293 3.1, 768, 792, 4443. Payload is zeros both ways. Of ICMP
// errors, the quoted packet is one the host under test sent.
#ifndef CONFORMANCE_PACKET_CODEC_H_
#define CONFORMANCE_PACKET_CODEC_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "conformance/flow_map.h"
#include "conformance/script.h"
#include "tcpip/base/bytes.h"

namespace conformance {

// INVALID_ARGUMENT when the script gives no such number (an unknown name of an
// ICMP type, an echoed timestamp the host never sent); UNIMPLEMENTED for
// tunnels.
absl::StatusOr<std::vector<uint8_t>> ToWire(const PacketSpec& packet,
                                            const FlowMap& flow);

struct SeenPacket {
  PacketSpec packet;  // outbound; of a packet no spec can hold, only addresses
  tcpip::FourTuple flow;            // of TCP and UDP, as its sender sees it
  std::vector<std::string> faults;  // what is wrong with it whatever the script
};

// `flow` gives the numbers; its addresses are not looked at.
SeenPacket FromWire(tcpip::ByteSpan packet, const FlowMap& flow);

}  // namespace conformance

#endif  // CONFORMANCE_PACKET_CODEC_H_
