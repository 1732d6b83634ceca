// What waits to leave by one interface: whole packets in two bounded queues,
// and the connections that may have segments to send.
//
// Control packets (RST, ICMP, SYN-ACK) go first. Then datagrams and
// connections take turns, one packet each; among connections each has its turn
// of a few segments in a row, for which their reader is woken once. Connections
// make their segments only when the link has room for them, so nothing of
// theirs waits here.
#ifndef TCPIP_STACK_OUTPUT_QUEUE_H_
#define TCPIP_STACK_OUTPUT_QUEUE_H_

#include <cstddef>
#include <optional>

#include "tcpip/base/intrusive_list.h"
#include "tcpip/base/ring.h"
#include "tcpip/buffer/packet.h"
#include "tcpip/stack/socket.h"

namespace tcpip {

// A bounded queue of packets whose storage is reused.
class PacketQueue {
 public:
  explicit PacketQueue(size_t limit) : limit_(limit) {}

  // False when full; `packet` is untouched then.
  bool Push(Packet&& packet);
  // Takes the fragments of one packet, whatever their number: the limit is
  // exceeded rather than a packet never sent. Only when not full.
  void PushAll(PacketBatch& fragments);
  std::optional<Packet> Pop();
  bool empty() const { return packets_.empty(); }
  bool full() const { return packets_.size() >= limit_; }

 private:
  size_t limit_;
  Ring<Packet> packets_;
};

class OutputQueue {
 public:
  explicit OutputQueue(size_t max_packets)
      : control_(max_packets), datagrams_(max_packets) {}

  PacketQueue& control() { return control_; }
  PacketQueue& datagrams() { return datagrams_; }

  // Puts the connection among the senders, if it is not there: at the end, or
  // in front for the rest of its turn.
  void AddSender(Socket& socket);

  // Whose turn it is: a packet that waits, or a sender, taken from the list,
  // to be asked for a segment. Both empty when nothing is left.
  struct Turn {
    std::optional<Packet> packet = std::nullopt;
    Socket* sender = nullptr;
  };
  Turn Next();

  bool empty() const {
    return control_.empty() && datagrams_.empty() && senders_.empty();
  }

 private:
  PacketQueue control_;
  PacketQueue datagrams_;
  IntrusiveList<Socket, SenderTag> senders_;
  const Socket* last_sender_ = nullptr;  // to compare with, maybe gone
  int in_a_row_ = 0;                     // segments it was asked for
  bool datagram_was_last_ = false;
};

}  // namespace tcpip

#endif  // TCPIP_STACK_OUTPUT_QUEUE_H_
