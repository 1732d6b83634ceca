// The way of every packet that comes in: the IP checks, whether it is for us,
// its other fragments, then its transport. RFC 1122 3.2, RFC 8200 4.5. Called
// by Stack. Forwards nothing, and judges no transport header.
#ifndef TCPIP_STACK_PACKET_INPUT_H_
#define TCPIP_STACK_PACKET_INPUT_H_

#include "tcpip/base/rng.h"
#include "tcpip/base/time.h"
#include "tcpip/buffer/packet.h"
#include "tcpip/network/ip_facts.h"
#include "tcpip/network/reassembly.h"
#include "tcpip/stack/context.h"
#include "tcpip/stack/datagrams.h"
#include "tcpip/stack/icmp_input.h"
#include "tcpip/stack/interface.h"
#include "tcpip/stack/stack_timer.h"
#include "tcpip/stack/stats.h"
#include "tcpip/stack/tcp_flows.h"
#include "tcpip/stack/tcp_input.h"

namespace tcpip {

class PacketInput {
 public:
  // Draws the key of the hash of fragments.
  PacketInput(StackContext& context, TcpFlows& flows, Datagrams& datagrams,
              Rng& rng);
  ~PacketInput() { context_.timers.Cancel(reassembly_timer_); }

  // Delivers, answers, drops or sets aside for another shard, and counts which.
  void OnPacket(Interface& ingress, Packet packet, Instant now);

  // Gives up what has waited for fragments too long.
  void OnReassemblyTimer(Instant now);
  // Adds reassembly's own counters. A fragment it had kept and gives up later
  // is not the packet being processed, so it is not dropped through the
  // context.
  void AddReassemblyStats(StackStats& stats) const;
  void CheckInvariants() const { reassembly_.CheckInvariants(); }

 private:
  // The same, without counting it as received.
  void Take(Interface& ingress, Packet packet, Instant now);
  void OnFragment(Interface& ingress, Packet packet,
                  const ip::InputVerdict& verdict, Instant now);
  // A packet for us, by its protocol.
  void Deliver(Interface& ingress, Packet& packet, const ip::InboundIp& ip,
               Instant now);
  // A packet for another host, or for many.
  void OnPacketNotForUs(Interface& ingress, Packet packet,
                        const ip::InputVerdict& verdict, Instant now);
  // A packet for many that the interface takes; its transport must be UDP.
  void DeliverToGroup(Interface& ingress, Packet& packet,
                      const ip::InboundIp& ip);
  void OnUdp(Interface& ingress, Packet& packet, const ip::InboundIp& ip,
             Instant now);
  void OnUnknownProtocol(Interface& ingress, const Packet& packet,
                         const ip::InboundIp& ip, Instant now);

  StackContext& context_;
  TcpInput tcp_;
  Datagrams& datagrams_;
  IcmpInput icmp_;
  ip::Reassembly reassembly_;
  StackTimer reassembly_timer_{TimerUse::kReassembly};
};

}  // namespace tcpip

#endif  // TCPIP_STACK_PACKET_INPUT_H_
