// RCV.WND: how much the peer may send. RFC 9293 3.8.6.2.2, RFC 7323 2.4.
//
//   |<---- buffer_bytes ---->|
//   [ unread ]|              |
//          rcv_nxt       right_edge   everything offered, and thus storable
//
// The edge moves right only: to the end of the buffer when that is worth a
// segment, and by less than a granule of the window scale when a window must
// be rounded up in order not to move it left [fault W08]. Rounding is paid from
// a sixteenth of the buffer; a peer that uses that up (it sends bytes one by
// one and nobody reads) sees windows rounded down until it closes.
//
// Owned by Receiver. Auto-tuning will set buffer_bytes.
#ifndef TCPIP_TRANSPORT_TCP_RECEIVE_WINDOW_H_
#define TCPIP_TRANSPORT_TCP_RECEIVE_WINDOW_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "tcpip/transport/tcp/negotiated.h"
#include "tcpip/transport/tcp/seq.h"

namespace tcpip::tcp {

class ReceiveWindow {
 public:
  ReceiveWindow(const Negotiated& negotiated, SeqNum rcv_nxt,
                uint32_t initial_window, uint32_t buffer_bytes);

  // The end of everything offered so far.
  SeqNum right_edge() const { return right_edge_; }
  // What is left of it.
  WindowSize Remaining(SeqNum rcv_nxt) const;

  // The window of a segment that leaves now; may move the right edge.
  WireWindow Offer(SeqNum rcv_nxt, size_t unread_bytes);

  // True when a segment sent now would open the window so much that the peer
  // should learn of it without delay: it at least doubles.
  bool IsWorthAnnouncing(SeqNum rcv_nxt, size_t unread_bytes) const;

  // Offers no more than this while memory is short, whatever the buffer; a
  // granule in any case, since less cannot be said.
  void SetShare(uint32_t bytes) { share_ = bytes; }

  uint32_t buffer_bytes() const { return buffer_bytes_; }
  void SetBufferBytes(uint32_t bytes) { buffer_bytes_ = bytes; }

 private:
  uint32_t granule() const { return uint32_t{1} << rcv_scale_.shift(); }
  // For what is unread and what is offered.
  uint32_t room() const {
    return std::max(granule(), std::min(buffer_bytes_, share_));
  }
  uint32_t SwsThreshold() const;
  uint32_t FreshWindow(size_t unread_bytes) const;

  SeqNum right_edge_;
  uint32_t buffer_bytes_;
  uint32_t share_ = UINT32_MAX;
  uint32_t rmss_;
  WindowScale rcv_scale_;
};

}  // namespace tcpip::tcp

#endif  // TCPIP_TRANSPORT_TCP_RECEIVE_WINDOW_H_
