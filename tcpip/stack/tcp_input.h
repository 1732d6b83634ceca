// TCP packets on their way in: parse, verify, and find who they are for: a
// connection, another shard, TIME-WAIT, a listener, or nobody, which draws a
// RST. RFC 9293 3.10.7, RFC 5927.
#ifndef TCPIP_STACK_TCP_INPUT_H_
#define TCPIP_STACK_TCP_INPUT_H_

#include <cstdint>
#include <optional>

#include "tcpip/base/time.h"
#include "tcpip/buffer/packet.h"
#include "tcpip/network/drop_reason.h"
#include "tcpip/network/icmp.h"
#include "tcpip/network/ip_facts.h"
#include "tcpip/stack/context.h"
#include "tcpip/stack/interface.h"
#include "tcpip/stack/tcp_flows.h"
#include "tcpip/transport/tcp/segment.h"
#include "tcpip/transport/tcp/seq.h"
#include "tcpip/wire/address.h"

namespace tcpip {

// A TCP packet as the connection it belongs to sees it.
struct ParsedTcp {
  std::optional<DropReason> drop = std::nullopt;
  FourTuple tuple = {};
  tcp::Segment segment = {};  // without its payload
  uint32_t header_size = 0;   // of TCP; the payload follows it
};

// `packet` starts with the TCP header and is trimmed to ip.payload_size().
ParsedTcp ParseTcpPacket(const Packet& packet, const ip::InboundIp& ip);

class TcpInput {
 public:
  TcpInput(StackContext& context, TcpFlows& flows)
      : context_(context), flows_(flows) {}

  // `packet` as for ParseTcpPacket; it is taken.
  void OnPacket(Interface& ingress, Packet& packet, const ip::InboundIp& ip,
                Instant now);

  // What an ICMP error says of a segment of ours. False when there is no such
  // segment under way.
  bool OnNotice(const ip::TransportNotice& notice, Instant now);

 private:
  void OnTimeWaitSegment(Interface& ingress, const FourTuple& tuple,
                         tcp::Segment segment, Instant now);
  // `iss_floor`: the ISS of a new incarnation is not below it.
  void OnUnclaimedSegment(Interface& ingress, const FourTuple& tuple,
                          tcp::Segment segment,
                          std::optional<tcp::SeqNum> iss_floor, Instant now);
  void OnListenerSegment(Socket& socket, const FourTuple& tuple,
                         tcp::Segment segment,
                         std::optional<tcp::SeqNum> iss_floor, Instant now);

  StackContext& context_;
  TcpFlows& flows_;
};

}  // namespace tcpip

#endif  // TCPIP_STACK_TCP_INPUT_H_
