// The sockets without connections: UDP and echo (ping). What their users may
// send and what they get. RFC 768, RFC 792, RFC 4443, RFC 8085.
//
// A datagram is whole when it is queued for its interface; a full queue is an
// answer to the user, never a silent drop. Multicast is not joined yet.
#ifndef TCPIP_STACK_DATAGRAMS_H_
#define TCPIP_STACK_DATAGRAMS_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tcpip/base/bytes.h"
#include "tcpip/base/rng.h"
#include "tcpip/base/time.h"
#include "tcpip/buffer/packet.h"
#include "tcpip/network/drop_reason.h"
#include "tcpip/network/icmp.h"
#include "tcpip/network/ip_facts.h"
#include "tcpip/stack/context.h"
#include "tcpip/stack/interface.h"
#include "tcpip/stack/ports.h"
#include "tcpip/stack/recent_destinations.h"
#include "tcpip/stack/socket.h"
#include "tcpip/stack/socket_options.h"
#include "tcpip/stack/udp_sockets.h"
#include "tcpip/transport/udp/endpoint.h"
#include "tcpip/wire/address.h"
#include "tcpip/wire/icmp.h"

namespace tcpip {

class Datagrams {
 public:
  // Draws keys for the hash, the ports and the identifiers, in this order.
  Datagrams(StackContext& context, Rng& rng);

  // Errors as in stack.h.
  absl::StatusOr<SocketId> OpenUdp(const UdpOpenOptions& options);
  absl::Status ConnectUdp(Socket& socket,
                          const std::optional<IpEndpoint>& remote) {
    return udp_.Connect(socket, remote);
  }
  absl::Status SendUdp(Socket& socket, const std::optional<IpEndpoint>& to,
                       ByteSpan payload, const udp::Control& control);
  std::optional<udp::Datagram> ReceiveUdp(Socket& socket,
                                          const udp::ReceiveOptions& options);
  // Of the way to `to`, or to where the socket is connected.
  absl::StatusOr<uint32_t> UdpPathMtu(Socket& socket,
                                      const std::optional<IpEndpoint>& to);
  // ABORTED, once, when a datagram of a connected UDP socket was refused.
  // SendUdp looks itself, ReceiveUdp does not.
  absl::Status TakeError(Socket& socket);

  absl::StatusOr<SocketId> OpenEcho(const IpAddress& remote);
  absl::Status SendEcho(Socket& socket, uint16_t seq, size_t payload_bytes,
                        Instant now);
  std::optional<icmp::EchoReply> ReceiveEcho(Socket& socket);

  // The user is gone.
  void Close(Socket& socket);

  // `packet` starts with the UDP header and is trimmed to ip.payload_size();
  // its bytes are not taken when there is a reason to drop it. What belongs to
  // another shard goes there.
  std::optional<DropReason> OnUdpPacket(const Interface& ingress,
                                        Packet& packet,
                                        const ip::InboundIp& ip);
  // `packet` as parsed to `message`, an echo reply.
  std::optional<DropReason> OnEchoReply(const Packet& packet,
                                        const wire::IcmpMessage& message,
                                        const ip::InboundIp& ip);
  // What an ICMP error says of a datagram or echo request of ours. False when
  // none of them can be meant.
  bool OnNotice(const ip::TransportNotice& notice, Instant now);

 private:
  // The socket that may have sent what `notice` quotes, if there is one.
  Socket* SenderOf(const ip::TransportNotice& notice);
  // Has what `notice` quotes left, as far as can be known? [fault X12]
  bool HasSent(const ip::TransportNotice& notice);
  bool OnTooBig(const ip::TransportNotice& notice, Instant now);
  // How a datagram to `remote` leaves, or why it cannot.
  absl::StatusOr<Path> DepartureFor(const IpAddress& remote,
                                    const std::optional<IpAddress>& local);
  // In fragments where it exceeds the path's MTU.
  void Depart(const Path& path, Packet packet);

  StackContext& context_;
  UdpSockets udp_;
  RecentDestinations recent_;  // of datagrams, by port
  Ports echo_ids_;
  absl::flat_hash_map<uint16_t, uint32_t> echo_sockets_;  // by identifier
};

}  // namespace tcpip

#endif  // TCPIP_STACK_DATAGRAMS_H_
