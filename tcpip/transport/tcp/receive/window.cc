#include "tcpip/transport/tcp/receive/window.h"

#include <algorithm>

#include "tcpip/transport/tcp/config.h"

namespace tcpip::tcp {
namespace {

constexpr uint32_t kRoundingShare = 16;  // of the buffer

constexpr uint32_t RoundDown(uint32_t n, uint32_t power_of_two) {
  return n & ~(power_of_two - 1);
}
constexpr uint32_t RoundUp(uint32_t n, uint32_t power_of_two) {
  return RoundDown(n + power_of_two - 1, power_of_two);
}

}  // namespace

ReceiveWindow::ReceiveWindow(const Negotiated& negotiated, SeqNum rcv_nxt,
                             uint32_t initial_window, uint32_t buffer_bytes)
    : right_edge_(rcv_nxt + initial_window),
      buffer_bytes_(buffer_bytes),
      rmss_(negotiated.rmss),
      rcv_scale_(negotiated.rcv_scale) {}

WindowSize ReceiveWindow::Remaining(SeqNum rcv_nxt) const {
  // RCV.NXT is one past the edge after a FIN that needed no window.
  return WindowSize(static_cast<uint32_t>(std::max(0, right_edge_ - rcv_nxt)));
}

WireWindow ReceiveWindow::Offer(SeqNum rcv_nxt, size_t unread_bytes) {
  const SeqNum fresh_edge = rcv_nxt + FreshWindow(unread_bytes);
  // [RFC 9293 3.8.6.2.2 MUST-39] no advance by less than a segment's worth
  if (fresh_edge - right_edge_ >= static_cast<int32_t>(SwsThreshold())) {
    right_edge_ = fresh_edge;
  }
  const uint32_t remaining = Remaining(rcv_nxt).bytes();
  const uint32_t rounded = RoundUp(remaining, granule());
  const uint64_t limit =
      uint64_t{buffer_bytes_} + buffer_bytes_ / kRoundingShare;
  // [RFC 7323 2.4] rounding down at the limit; right_edge_ is still honoured
  if (rounded == remaining || unread_bytes + rounded <= limit) {
    // [RFC 9293 3.8.6 SHLD-14] the edge on the wire does not move left
    right_edge_ = Max(right_edge_, rcv_nxt + rounded);
    return WireWindow::RoundedDown(WindowSize(rounded), rcv_scale_);
  }
  return WireWindow::RoundedDown(WindowSize(remaining), rcv_scale_);
}

bool ReceiveWindow::IsWorthAnnouncing(SeqNum rcv_nxt,
                                      size_t unread_bytes) const {
  const int32_t gain = rcv_nxt + FreshWindow(unread_bytes) - right_edge_;
  const uint32_t enough = std::max(SwsThreshold(), Remaining(rcv_nxt).bytes());
  return gain >= static_cast<int32_t>(enough);
}

// A segment, or half of what there is room for: a segment may be larger than
// all of that, and the window would never open again.
uint32_t ReceiveWindow::SwsThreshold() const {
  return std::max(uint32_t{1}, std::min(rmss_, room() / 2));
}

// Free space in whole granules: zero rather than less than one. [fault W08]
uint32_t ReceiveWindow::FreshWindow(size_t unread_bytes) const {
  const uint32_t free =
      unread_bytes < room() ? room() - static_cast<uint32_t>(unread_bytes) : 0;
  const uint32_t largest =
      std::min(kMaxWindow, (WireWindow(0xffff) << rcv_scale_).bytes());
  return RoundDown(std::min(free, largest), granule());
}

}  // namespace tcpip::tcp
