// The UDP sockets of a stack: what each is bound and connected to, and which
// one a datagram is for. RFC 768, RFC 3493 5.3; bind(2) and connect(2) of
// Linux.
//
// A socket holds what it was bound to as long as it lives. Connecting only
// chooses the address it sends from and whom it hears, and can be undone.
// Sending and receiving are the datagrams'.
#ifndef TCPIP_STACK_UDP_SOCKETS_H_
#define TCPIP_STACK_UDP_SOCKETS_H_

#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tcpip/base/rng.h"
#include "tcpip/stack/context.h"
#include "tcpip/stack/demux.h"
#include "tcpip/stack/flow_set.h"
#include "tcpip/stack/ports.h"
#include "tcpip/stack/socket.h"
#include "tcpip/stack/socket_options.h"
#include "tcpip/stack/socket_table.h"
#include "tcpip/wire/address.h"

namespace tcpip {

class UdpSockets {
 public:
  UdpSockets(StackContext& context, Rng& rng);

  // Errors as in stack.h.
  absl::StatusOr<Socket*> Open(const UdpOpenOptions& options);
  // Without a remote the socket is as it was bound again.
  absl::Status Connect(Socket& socket, const std::optional<IpEndpoint>& remote);
  void Close(Socket& socket);

  // Who gets what `tuple.remote` sent to `tuple.local`, or nullptr.
  Socket* Find(const FourTuple& tuple);

 private:
  absl::StatusOr<IpEndpoint> LocalTowards(const UdpSocket& udp,
                                          const IpEndpoint& remote);
  // Ends the receiving of either kind.
  void Detach(const Socket& socket);

  StackContext& context_;
  Demux demux_;
  FlowSet<TupleOfUdp> flows_;  // of those that are connected
  Ports ports_;
};

// OK when the socket may exchange datagrams with addresses of this family.
absl::Status CheckFamily(const UdpSocket& udp, IpFamily family);

}  // namespace tcpip

#endif  // TCPIP_STACK_UDP_SOCKETS_H_
