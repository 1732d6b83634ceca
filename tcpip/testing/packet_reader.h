// An IP packet taken apart for a test to look at, by the wire formats and a
// checksum of its own: what the stack computes is not trusted here.
//
// RFC 791, 8200, 9293 3.1. Views into the caller's bytes.
#ifndef TCPIP_TESTING_PACKET_READER_H_
#define TCPIP_TESTING_PACKET_READER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tcpip/base/bytes.h"
#include "tcpip/buffer/packet.h"
#include "tcpip/buffer/view_chain.h"
#include "tcpip/wire/address.h"
#include "tcpip/wire/tcp.h"
#include "tcpip/wire/tcp_options.h"

namespace tcpip::sim {

using Bytes = std::vector<uint8_t>;

struct ReadTcp {
  wire::TcpHeader header;
  wire::TcpOptions options;
  ByteSpan payload;

  // SEG.LEN: payload, SYN and FIN.
  uint32_t len() const {
    return static_cast<uint32_t>(payload.size()) + header.flags.syn() +
           header.flags.fin();
  }
};

struct ReadPacket {
  IpAddress source;
  IpAddress destination;
  uint8_t tos = 0;
  uint8_t ttl = 0;
  uint8_t protocol = 0;
  uint32_t ip_header_size = 0;
  ByteSpan transport;
  bool checksum_valid = false;  // the transport's, and IPv4's own
  std::optional<ReadTcp> tcp;   // when that is what it is

  // The flow as its sender sees it; ports only for TCP.
  FourTuple flow() const;
  // "10.0.0.1:80 > 10.0.0.2:4000: S. seq 1 ack 2 win 3 len 4".
  std::string ToString() const;
};

// nullopt when headers do not parse, the length is not that of the packet, or
// it is a fragment.
std::optional<ReadPacket> Read(ByteSpan packet);

// A part of a packet: `data` stands at `offset` of what follows the headers.
struct FragmentRead {
  IpAddress source;
  IpAddress destination;
  uint8_t protocol = 0;
  uint32_t id = 0;
  uint16_t offset = 0;
  bool more = false;
  ByteSpan data;
};

// nullopt for what is none, or does not parse.
std::optional<FragmentRead> ReadFragment(ByteSpan packet);

// The checksum field of `bytes` under the pseudo header: RFC 1071, word by
// word. ICMPv4 has no pseudo header. The field itself has to be zero.
uint16_t ComputeChecksum(const IpAddress& source, const IpAddress& destination,
                         uint8_t protocol, ByteSpan bytes);

// All bytes of a packet in one piece.
Bytes Flatten(const Packet& packet);
Bytes Flatten(const ViewChain& chain);

}  // namespace tcpip::sim

#endif  // TCPIP_TESTING_PACKET_READER_H_
