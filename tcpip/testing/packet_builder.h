// IP packets by designated initializers, all lengths and checksums right:
//
//   Build({.from = client, .to = server, .seq = 1, .flags = TcpFlags::kSyn})
//
// A test that wants something wrong changes the bytes afterwards.
#ifndef TCPIP_TESTING_PACKET_BUILDER_H_
#define TCPIP_TESTING_PACKET_BUILDER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tcpip/base/bytes.h"
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

// A part of a packet: `data` stands at `offset` of what follows the IP header
// (IPv6: the fragment header).
struct IpFragment {
  IpAddress from;
  IpAddress to;
  uint8_t protocol = 17;
  uint32_t id = 1;
  uint16_t offset = 0;
  bool more = false;
  uint8_t tos = 0;
  Bytes data = {};
};
Bytes Build(const IpFragment& fragment);

// The packet, which has a plain IP header, in fragments of `data_bytes`, in
// order; a multiple of 8.
std::vector<Bytes> Cut(ByteSpan packet, size_t data_bytes, uint32_t id);

}  // namespace tcpip::sim

#endif  // TCPIP_TESTING_PACKET_BUILDER_H_
