// What sockets are opened with, and aliases of udp:: types for users of Stack.
// Plain values with Linux's defaults; who may be bound beside whom is
// demux.h's.
#ifndef TCPIP_STACK_SOCKET_OPTIONS_H_
#define TCPIP_STACK_SOCKET_OPTIONS_H_

#include <cstdint>
#include <optional>

#include "tcpip/stack/demux.h"
#include "tcpip/transport/tcp/connection.h"
#include "tcpip/transport/udp/endpoint.h"
#include "tcpip/wire/address.h"

namespace tcpip {

struct TcpConnectOptions {
  IpEndpoint remote;
  // Unset: address by route, port from the ephemeral range.
  std::optional<IpEndpoint> local = std::nullopt;
  tcp::SocketSettings settings = {};
};

struct TcpListenOptions {
  // Unspecified address: every address of that family, and with "::" those of
  // IPv4, too, unless `rules` say v6_only.
  IpEndpoint local;
  uint32_t backlog = 128;
  tcp::SocketSettings settings = {};
  BindRules rules = {};
};

using Datagram = udp::Datagram;
using UdpSettings = udp::Settings;
using UdpControl = udp::Control;
using UdpReceiveOptions = udp::ReceiveOptions;

struct UdpOpenOptions {
  IpEndpoint local;  // port 0: ephemeral. Addresses as of a listener
  std::optional<IpEndpoint> remote = std::nullopt;  // as UdpConnect
  uint32_t receive_queue_bytes = 212992;            // Linux's rmem_default
  UdpSettings settings = {};
  BindRules rules = {};
};

}  // namespace tcpip

#endif  // TCPIP_STACK_SOCKET_OPTIONS_H_
