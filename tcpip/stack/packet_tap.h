// PacketTap: what a capture sees of a stack: whole packets with their offload
// facts, super-segments uncut [fault L06], and which of them were dropped and
// why. Implemented above the stack (a capture file, a test); called by
// stack/packet_watch, on the stack's thread and inside its calls.
//
// A tap may copy bytes or share views; it may not call the stack.
#ifndef TCPIP_STACK_PACKET_TAP_H_
#define TCPIP_STACK_PACKET_TAP_H_

#include "tcpip/base/time.h"
#include "tcpip/buffer/packet.h"
#include "tcpip/network/drop_reason.h"
#include "tcpip/network/interface_id.h"

namespace tcpip {

class PacketTap {
 public:
  virtual ~PacketTap() = default;

  // Before the stack looks at it. Its checksum may be owed or wrong.
  virtual void OnPacketIn(InterfaceId interface, const Packet& packet,
                          Instant now) = 0;
  // When the interface's link is given it.
  virtual void OnPacketOut(InterfaceId interface, const Packet& packet,
                           Instant now) = 0;
  // A packet that came in, was told by OnPacketIn, and is dropped, or whose
  // answer is: then the reason is about that (kAnswerRateLimited, say), and
  // may be the packet's second. Not told: a fragment that was kept, and is
  // given up later.
  virtual void OnDrop(InterfaceId interface, const Packet& packet,
                      DropReason reason, Instant now) = 0;
};

}  // namespace tcpip

#endif  // TCPIP_STACK_PACKET_TAP_H_
