// Stack: everything one shard owns, still pure. A value stepped by its owner
// with four kinds of call: OnPackets, OnTimers, a user call, DrainOutput. No
// thread, lock, clock, entropy or system call inside; same inputs, same
// outputs. Driving it looks like this:
//
//   stack.OnPackets(interface, batch, now);       // what the link read
//   stack.OnTimers(now);                          // by NextDeadline()
//   while (auto event = stack.NextReady()) ...    // sockets that changed
//   stack.DrainOutput(interface, out, max, now);  // what the link should write
//
// Output is pulled: a full link simply is not drained, and senders wait. Only
// answers (RST, ICMP, SYN-ACK) may find their queue full; they are counted
// then. A call's work is in proportion to what it takes or gives, unless it
// says otherwise. A user call takes `now` when it may start or judge a timer.
#ifndef TCPIP_STACK_STACK_H_
#define TCPIP_STACK_STACK_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tcpip/base/rng.h"
#include "tcpip/base/time.h"
#include "tcpip/buffer/packet.h"
#include "tcpip/buffer/slab.h"
#include "tcpip/buffer/view_chain.h"
#include "tcpip/link/link.h"
#include "tcpip/network/interface_id.h"
#include "tcpip/network/routes.h"
#include "tcpip/stack/config.h"
#include "tcpip/stack/group_member.h"
#include "tcpip/stack/packet_tap.h"
#include "tcpip/stack/socket_id.h"
#include "tcpip/stack/socket_options.h"
#include "tcpip/stack/stats.h"
#include "tcpip/stack/summary.h"
#include "tcpip/transport/icmp/echo.h"
#include "tcpip/transport/tcp/connection.h"
#include "tcpip/wire/address.h"

namespace tcpip {

using EchoReply = icmp::EchoReply;

// A socket that became ready for something since it was last reported. What a
// socket ceased to be ready for is seen by the call that found it so (a short
// send, an empty receive) and makes no event. So after an event go on until a
// call says that there is no more: what is still there is not reported again.
struct ReadyEvent {
  SocketId socket;
  tcp::Readiness readiness;
  bool acceptable = false;  // a listener has a connection to accept
};

struct InterfaceInfo {
  InterfaceId id = 0;
  InterfaceConfig config;
  std::vector<Cidr> addresses;
};

// Which shard must make a connection, and from where it leaves.
struct Dialer {
  uint32_t owner = 0;
  std::optional<IpEndpoint> local = std::nullopt;
};

struct StackParts;

class Stack {
 public:
  // `pool` and `rng` outlive the stack. Keys (ISN, ports, timestamps, hashes)
  // are drawn from `rng` here, in a fixed order; later only IDs of packets
  // that leave in fragments.
  Stack(const StackConfig& config, SlabPool& pool, Rng& rng, Instant now);
  ~Stack();
  Stack(const Stack&) = delete;
  Stack& operator=(const Stack&) = delete;

  // --- Interfaces, addresses, routes. O(addresses + routes).
  InterfaceId AddInterface(const InterfaceConfig& config);
  // The link can do this from now on. Connections follow, in O(sockets); an MTU
  // outside 68..65535 is not taken over. While it is less than
  // IPv6 needs, IPv6 is neither sent nor received there. [fault L14]
  void SetCapabilities(InterfaceId interface,
                       const LinkCapabilities& capabilities, Instant now);
  // Adds the address and the route to its prefix through the interface.
  absl::Status AddAddress(InterfaceId interface, const Cidr& address);
  absl::Status RemoveAddress(InterfaceId interface, const IpAddress& address);
  absl::Status AddRoute(const Route& route);
  absl::Status RemoveRoute(const Cidr& destination);
  std::vector<InterfaceInfo> Interfaces() const;
  std::vector<Route> Routes() const;

  // --- Packets and time.
  // Shows packets and drops to `tap`, which outlives its use; null ends it.
  void SetTap(PacketTap* tap);
  // Takes every packet of the batch. Bounded work per packet.
  void OnPackets(InterfaceId interface, std::span<Packet> batch, Instant now);
  // What there is to do with packets that are another shard's.
  GroupMember& group();
  // Steps what is due. Bounded by the number of expired timers.
  void OnTimers(Instant now);
  // Appends at most `max` packets for the interface to `to`; see
  // output_queue.h for whose turn it is.
  void DrainOutput(InterfaceId interface, PacketBatch& to, size_t max,
                   Instant now);
  bool HasOutput(InterfaceId interface) const;
  // Earliest deadline of all timers, or Never.
  Instant NextDeadline();

  // --- TCP sockets. Errors: NOT_FOUND stale id, FAILED_PRECONDITION wrong
  // kind or state, INVALID_ARGUMENT no such peer or not our address,
  // ALREADY_EXISTS address in use, UNAVAILABLE no route or no ports,
  // RESOURCE_EXHAUSTED limits. FAILED_PRECONDITION also when a local port was
  // given that makes the flow another shard's.
  absl::StatusOr<SocketId> TcpConnect(const TcpConnectOptions& options,
                                      Instant now);
  absl::StatusOr<SocketId> TcpListen(const TcpListenOptions& options);
  // A given local port decides whose a dial is, together with the address that
  // only routes tell; without one it is this shard's. Errors as TcpConnect.
  absl::StatusOr<Dialer> OwnerOfDial(const TcpConnectOptions& options);
  // The oldest established connection, or UNAVAILABLE when none waits.
  absl::StatusOr<SocketId> TcpAccept(SocketId listener);
  // Takes from the front of `data` what fits the send buffer.
  absl::StatusOr<size_t> TcpSend(SocketId socket, ViewChain& data, Instant now);
  absl::StatusOr<size_t> TcpSendCopy(SocketId socket, ByteSpan data,
                                     Instant now);
  // Up to max_bytes; empty when nothing is readable (see Readiness for EOF).
  absl::StatusOr<ViewChain> TcpRecv(SocketId socket, size_t max_bytes,
                                    Instant now);
  absl::Status TcpCloseWrite(SocketId socket, Instant now);
  absl::Status TcpSetSettings(SocketId socket,
                              const tcp::SocketSettings& settings);
  absl::StatusOr<tcp::TcpInfo> TcpGetInfo(SocketId socket) const;
  absl::StatusOr<tcp::Readiness> GetReadiness(SocketId socket) const;
  absl::StatusOr<tcp::TcpError> TcpGetError(SocketId socket) const;
  absl::StatusOr<FourTuple> GetTuple(SocketId socket) const;

  // --- UDP and echo. Errors as above; RESOURCE_EXHAUSTED also when the send
  // queue of the interface is full, ABORTED once when the peer of a
  // connected UDP socket has refused a datagram.
  absl::StatusOr<SocketId> UdpOpen(const UdpOpenOptions& options);
  // From now on the socket sends to `remote` and hears nobody else; without
  // one it is unconnected again. What waits to be received stays.
  absl::Status UdpConnect(SocketId socket,
                          const std::optional<IpEndpoint>& remote);
  absl::Status UdpSetSettings(SocketId socket, const UdpSettings& settings);
  // To where the socket is connected when there is no `to`. INVALID_ARGUMENT
  // when the payload exceeds 65,507 / 65,527. What exceeds the MTU leaves in
  // fragments, unless the socket forbids it.
  absl::Status UdpSend(SocketId socket, const std::optional<IpEndpoint>& to,
                       ByteSpan payload, const UdpControl& control = {});
  // nullopt when nothing waits.
  absl::StatusOr<std::optional<Datagram>> UdpRecv(
      SocketId socket, const UdpReceiveOptions& options = {});
  // Of the way to `to`, or to where the socket is connected.
  absl::StatusOr<uint32_t> UdpGetPathMtu(
      SocketId socket, const std::optional<IpEndpoint>& to = std::nullopt);
  absl::StatusOr<SocketId> EchoOpen(const IpAddress& remote);
  absl::Status EchoSend(SocketId socket, uint16_t seq, size_t payload_bytes,
                        Instant now);
  absl::StatusOr<std::optional<EchoReply>> EchoRecv(SocketId socket);

  // --- Any socket. The id is stale afterwards; a connection finishes its
  // close by itself. Abort sends RST.
  absl::Status Close(SocketId socket, Instant now);
  absl::Status Abort(SocketId socket, Instant now);

  // The next socket whose readiness changed, or nullopt. O(1).
  std::optional<ReadyEvent> NextReady();

  // Up to `max` sockets from slot `cursor` on; sets cursor to where to go on,
  // or 0 at the end. TIME-WAIT entries are not sockets and are only counted.
  std::vector<SocketSummary> ListSockets(uint32_t& cursor, size_t max) const;

  StackStats Stats() const;

  // Aborts with a message when an invariant of any connection is broken. O(all
  // sockets).
  void CheckInvariants() const;

 private:
  std::unique_ptr<StackParts> parts_;
};

}  // namespace tcpip

#endif  // TCPIP_STACK_STACK_H_
