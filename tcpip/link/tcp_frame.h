// TcpFrame: where the fields of an IP packet with TCP in it lie that cutting
// and merging segments read and rewrite. RFC 791 3.1, RFC 8200 3, RFC 9293 3.1.
//
// A window on bytes, without judgement: gso looks at what our own stack made,
// gro has checked before. Does not look behind IPv6 extension headers; whoever
// knows of some says where TCP starts.
#ifndef TCPIP_LINK_TCP_FRAME_H_
#define TCPIP_LINK_TCP_FRAME_H_

#include <cstdint>

#include "tcpip/base/bytes.h"
#include "tcpip/base/checksum.h"
#include "tcpip/wire/ipv4.h"
#include "tcpip/wire/ipv6.h"
#include "tcpip/wire/tcp.h"

namespace tcpip {

class TcpFrame {
 public:
  // `front` is the contiguous start of the packet, all headers at least.
  explicit TcpFrame(const uint8_t* front)
      : TcpFrame(front, front[0] >> 4 == 4 ? (front[0] & 0xf) * uint32_t{4}
                                           : wire::kIpv6HeaderSize) {}
  TcpFrame(const uint8_t* front, uint32_t tcp_offset)
      : ip_(front), tcp_(front + tcp_offset) {}

  bool IsIpv4() const { return ip_[0] >> 4 == 4; }
  const uint8_t* ip() const { return ip_; }
  const uint8_t* tcp() const { return tcp_; }
  uint32_t ip_header_size() const { return static_cast<uint32_t>(tcp_ - ip_); }
  uint32_t tcp_header_size() const {
    return (tcp_[wire::kTcpDataOffset] >> 4) * uint32_t{4};
  }
  uint32_t header_size() const { return ip_header_size() + tcp_header_size(); }

  // IPv4 only.
  uint16_t id() const { return LoadBe16(ip_ + wire::kIpv4IdOffset); }
  // [RFC 6864 4.1] the ID of an atomic packet means nothing; senders that know
  // leave it 0 in all of them, as we do, others count on
  bool HasConstantId() const {
    return id() == 0 && (LoadBe16(ip_ + wire::kIpv4FragmentOffset) &
                         wire::kIpv4DontFragment) != 0;
  }

  uint32_t seq() const { return LoadBe32(tcp_ + wire::kTcpSeqOffset); }
  wire::TcpFlags flags() const {
    return wire::TcpFlags(tcp_[wire::kTcpFlagsOffset]);
  }

  // What the TCP checksum starts from, for a segment of `tcp_bytes` with its
  // header.
  PartialSum PseudoHeader(uint32_t tcp_bytes) const {
    return wire::PseudoHeaderSum(addresses(), wire::kTcp, tcp_bytes);
  }
  // Of both ends, side by side.
  ByteSpan addresses() const {
    return IsIpv4() ? ByteSpan(ip_ + wire::kIpv4SourceOffset, 8)
                    : ByteSpan(ip_ + wire::kIpv6SourceOffset, 32);
  }

 private:
  const uint8_t* ip_;
  const uint8_t* tcp_;
};

// Makes the header that `ip` starts that of a packet of `size` bytes, whatever
// else has changed in it.
inline void SealIp(uint8_t* ip, size_t size) {
  if (ip[0] >> 4 == 4) {
    wire::SealIpv4({ip, (ip[0] & 0xf) * size_t{4}}, size);
  } else {
    wire::SealIpv6({ip, wire::kIpv6HeaderSize}, size);
  }
}

}  // namespace tcpip

#endif  // TCPIP_LINK_TCP_FRAME_H_
