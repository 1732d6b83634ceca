// Settings of a stack and of its interfaces, with units. Plain values, not
// judged here; those of one socket are in socket_options.
#ifndef TCPIP_STACK_CONFIG_H_
#define TCPIP_STACK_CONFIG_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "tcpip/link/link.h"
#include "tcpip/network/path_mtu.h"
#include "tcpip/network/reassembly.h"
#include "tcpip/stack/steering.h"
#include "tcpip/transport/tcp/config.h"

namespace tcpip {

struct StackConfig {
  tcp::TcpConfig tcp = {};

  uint8_t ttl = 64;

  // Ephemeral ports, inclusive. [RFC 6056 3.2] with Linux's range.
  uint16_t first_ephemeral_port = 32768;
  uint16_t last_ephemeral_port = 60999;

  // Fragments that wait for others, in an eighth of the memory budget at most.
  ip::ReassemblyConfig reassembly = {};

  // Control packets (RST, ICMP errors, echo replies) waiting for the link.
  uint32_t max_control_packets = 1024;
  // Answers to packets nobody owns: RST and ICMP errors per second and burst,
  // of which one receiver gets half at most.
  uint32_t unowned_answers_per_second = 1000;
  uint32_t unowned_answers_burst = 1000;

  // What is believed of routers that take less than our links.
  ip::PathMtuLimits path_mtu = {};
  // Routers that are believed about datagrams and pings, per second and at
  // once; the others are heard when they repeat themselves. [fault X12]
  uint32_t path_mtu_reports_per_second = 1000;

  uint32_t max_sockets = 2'000'000;

  // Bytes of packet memory in use beyond which no socket is opened, no
  // connection accepted and nothing kept that can come again; writers are held
  // and windows shrink before that (see buffer/slab.h). [fault O01]
  std::optional<size_t> memory_budget = std::nullopt;

  // The stack's place among the shards of a group. Every limit above is of
  // one shard.
  Steering steering = {};
};

struct InterfaceConfig {
  std::string name;
  LinkCapabilities link = {};  // at first, see Stack::SetCapabilities
  bool loopback = false;       // delivers to ourselves

  // Any-address mode: packets to any destination are ours (tunnels and
  // forwarders). Spoofing: sockets may send from addresses we do not own.
  bool any_address = false;
  bool spoofing = false;

  // UDP to multicast groups and broadcast addresses comes to the socket that
  // it would come to at an address of ours, and is never answered by an error.
  // Else it is dropped, counted.
  bool group_datagrams = false;
};

}  // namespace tcpip

#endif  // TCPIP_STACK_CONFIG_H_
