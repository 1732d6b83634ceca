// What may leave now as new data? Minshall's form of the Nagle algorithm, the
// sender's silly window avoidance, push and FIN. RFC 9293 3.7.4, 3.8.6.2.1.
//
// Asked by Sender. Full segments leave as the windows allow; what is decided
// here is the fate of the last, short part. Knows sequence numbers and sizes,
// not the queue.
#ifndef TCPIP_TRANSPORT_TCP_SEND_SEND_POLICY_H_
#define TCPIP_TRANSPORT_TCP_SEND_SEND_POLICY_H_

#include <cstdint>

#include "tcpip/transport/tcp/send/segmenter.h"
#include "tcpip/transport/tcp/seq.h"

namespace tcpip::tcp {

// What there is to send, and what holds it back.
struct SendFacts {
  SeqNum snd_nxt;
  uint32_t unsent_bytes = 0;
  bool fin_queued = false;  // behind those
  uint32_t cwnd_room = 0;
  uint32_t window_room = 0;  // from snd_nxt to the peer's right edge
  uint32_t max_snd_wnd = 0;
  // An earlier short segment is neither acknowledged nor SACKed.
  bool short_in_flight = false;
  // [RFC 9293 3.8.6.2.1] the override timer expired
  bool override_due = false;
};

// New data that may leave as one segment.
struct NewData {
  uint32_t bytes = 0;
  bool fin = false;
  bool held = false;  // a short rest waits for the short one ahead of it

  bool empty() const { return bytes == 0 && !fin; }
  friend bool operator==(const NewData&, const NewData&) = default;
};

class SendPolicy {
 public:
  SendPolicy(bool no_delay, SeqNum snd_una)
      : no_delay_(no_delay), short_end_(snd_una), push_end_(snd_una) {}

  void set_no_delay(bool on) { no_delay_ = on; }

  NewData Next(const Segmenter& segmenter, const SendFacts& facts) const;

  // Everything before `end` leaves as soon as the windows allow: the tail of a
  // write of a segment or more, what lies before the FIN, what was held for
  // long enough. [req]
  void Push(SeqNum end) { push_end_ = end; }

  // A short segment up to `end` was sent.
  void OnShortSent(SeqNum end) { short_end_ = end; }
  // The end of the last short segment; SND.UNA when it was acknowledged.
  SeqNum short_end() const { return short_end_; }

  // Moves both marks along, so that they stay where sequence numbers compare.
  void OnAck(SeqNum snd_una) {
    short_end_ = Max(short_end_, snd_una);
    push_end_ = Max(push_end_, snd_una);
  }

 private:
  bool MayFillWindow(const SendFacts& facts) const;

  bool no_delay_;
  SeqNum short_end_;
  SeqNum push_end_;
};

}  // namespace tcpip::tcp

#endif  // TCPIP_TRANSPORT_TCP_SEND_SEND_POLICY_H_
