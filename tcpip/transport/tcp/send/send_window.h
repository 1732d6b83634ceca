// SND.WND, SND.WL1, SND.WL2 and MAX.SND.WND: what the peer lets us send.
// RFC 9293 3.8.6, 3.10.7.4, RFC 5961 5.
//
// Owned by Sender. A peer may take back what it offered: then the right edge
// lies below what was sent, and there is simply no room. [fault W04]
#ifndef TCPIP_TRANSPORT_TCP_SEND_SEND_WINDOW_H_
#define TCPIP_TRANSPORT_TCP_SEND_SEND_WINDOW_H_

#include <algorithm>
#include <cstdint>

#include "tcpip/transport/tcp/seq.h"

namespace tcpip::tcp {

class SendWindow {
 public:
  SendWindow(WindowSize snd_wnd, SeqNum snd_wl1, SeqNum snd_wl2)
      : snd_wnd_(snd_wnd),
        max_snd_wnd_(snd_wnd),
        snd_wl1_(snd_wl1),
        snd_wl2_(snd_wl2) {}

  WindowSize snd_wnd() const { return snd_wnd_; }
  WindowSize max_snd_wnd() const { return max_snd_wnd_; }
  bool IsShut() const { return snd_wnd_.bytes() == 0; }

  // [RFC 9293 3.10.7.4] old segments must not set the window. A new ACK is not
  // old, even on data the peer repeats (as Linux): were its window refused, the
  // right edge would move on with SND.UNA past what was offered. `ack` is
  // acceptable. Returns true when the size changed.
  bool OnAck(SeqNum seg_seq, SeqNum ack, WindowSize wnd) {
    if (ack <= snd_wl2_ &&
        (snd_wl1_ > seg_seq || (snd_wl1_ == seg_seq && snd_wl2_ > ack))) {
      return false;
    }
    const bool changed = wnd != snd_wnd_;
    snd_wnd_ = wnd;
    snd_wl1_ = seg_seq;
    snd_wl2_ = ack;
    max_snd_wnd_ = std::max(max_snd_wnd_, wnd);
    return changed;
  }

  // Bytes from `seq` to the right edge.
  uint32_t Room(SeqNum snd_una, SeqNum seq) const {
    const int32_t room = snd_una + snd_wnd_.bytes() - seq;
    return room > 0 ? static_cast<uint32_t>(room) : 0;
  }

 private:
  WindowSize snd_wnd_;
  WindowSize max_snd_wnd_;
  SeqNum snd_wl1_;
  SeqNum snd_wl2_;
};

}  // namespace tcpip::tcp

#endif  // TCPIP_TRANSPORT_TCP_SEND_SEND_WINDOW_H_
