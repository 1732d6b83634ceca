// How big the next segment is: a super-segment of whole SMSS, as large as the
// link can cut and the windows allow. RFC 5681 2, RFC 9293 3.7.1.
//
// Pure arithmetic for Sender. Whether a short segment may leave is for
// send_policy.
#ifndef TCPIP_TRANSPORT_TCP_SEND_SEGMENTER_H_
#define TCPIP_TRANSPORT_TCP_SEND_SEGMENTER_H_

#include <algorithm>
#include <cstdint>

#include "tcpip/buffer/packet.h"
#include "tcpip/transport/tcp/segment.h"

namespace tcpip::tcp {

class Segmenter {
 public:
  // `max_gso_bytes`: largest payload the link cuts; below SMSS it cuts none.
  Segmenter(uint32_t smss, uint32_t max_gso_bytes)
      : smss_(smss), max_gso_bytes_(max_gso_bytes) {}

  uint32_t smss() const { return smss_; }
  void set_smss(uint32_t smss) { smss_ = smss; }
  void set_max_gso_bytes(uint32_t bytes) { max_gso_bytes_ = bytes; }

  // Bytes of the next segment out of `available`, at most `room`: a multiple
  // of SMSS, or everything available, or a room that is smaller than SMSS.
  uint32_t Cut(uint32_t available, uint32_t room) const {
    const uint32_t n = std::min({available, room, quantum()});
    return n < available && n > smss_ ? n - n % smss_ : n;
  }

  // A third of the window in whole segments, at least one: a receiver answers
  // a super-segment with one ACK, and were it the window's only one, its loss
  // would be a timeout.
  uint32_t ThirdOf(uint32_t cwnd) const {
    const uint32_t third = cwnd / 3;
    return std::max(third - third % smss_, smss_);
  }

  // The gso_size of a segment with that payload, 0 when it is not cut.
  uint32_t GsoSize(uint32_t payload) const {
    return payload > smss_ ? smss_ : 0;
  }
  // Segments on the wire of one with that payload.
  uint32_t WireSegments(uint32_t payload) const {
    return MssCount(payload, smss_);
  }

 private:
  // The longest segment that is a multiple of SMSS.
  uint32_t quantum() const {
    const uint32_t limit = std::min(max_gso_bytes_, kMaxGsoPayload);
    return std::max(limit - limit % smss_, smss_);
  }

  uint32_t smss_;
  uint32_t max_gso_bytes_;
};

}  // namespace tcpip::tcp

#endif  // TCPIP_TRANSPORT_TCP_SEND_SEGMENTER_H_
