// IP packets by designated initializers, all lengths and checksums right:
//
//   Build({.from = client, .to = server, .seq = 1, .flags = TcpFlags::kSyn})
//
// A test that wants something wrong changes the bytes afterwards.
#ifndef TCPIP_TESTING_PACKET_BUILDER_H_
#define TCPIP_TESTING_PACKET_BUILDER_H_

#include <cstdint>

#include "tcpip/testing/packet_reader.h"
#include "tcpip/wire/address.h"
#include "tcpip/wire/tcp.h"
#include "tcpip/wire/tcp_options.h"

namespace tcpip::sim {

struct TcpPacket {
  IpEndpoint from;
  IpEndpoint to;
  uint32_t seq = 0;
  uint32_t ack = 0;
  wire::TcpFlags flags = {};
  uint16_t window = 65535;  // as on the wire
  wire::TcpOptions options = {};
  Bytes payload = {};
};
Bytes Build(const TcpPacket& packet);

struct UdpPacket {
  IpEndpoint from;
  IpEndpoint to;
  Bytes payload = {};
};
Bytes Build(const UdpPacket& packet);

// `type`, `code`, four bytes and a payload, of the addresses' family.
struct IcmpPacket {
  IpAddress from;
  IpAddress to;
  uint8_t type = 0;
  uint8_t code = 0;
  uint32_t word = 0;
  Bytes payload = {};
};
Bytes Build(const IcmpPacket& packet);

}  // namespace tcpip::sim

#endif  // TCPIP_TESTING_PACKET_BUILDER_H_
