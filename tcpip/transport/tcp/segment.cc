#include "tcpip/transport/tcp/segment.h"

#include <algorithm>
#include <cassert>

namespace tcpip::tcp {

void Segment::TrimFront(uint32_t n) {
  assert(n <= len());
  seq += n;
  if (n > 0 && flags.syn()) {
    flags = flags.Without(TcpFlags::kSyn);
    --n;
  }
  const uint32_t data = std::min(n, static_cast<uint32_t>(payload.size()));
  payload.TrimFront(data);
  if (n > data) flags = flags.Without(TcpFlags::kFin);
}

void Segment::TrimBack(uint32_t n) {
  assert(n <= len());
  if (n > 0 && flags.fin()) {
    flags = flags.Without(TcpFlags::kFin);
    --n;
  }
  const uint32_t data = std::min(n, static_cast<uint32_t>(payload.size()));
  payload.TrimBack(data);
  if (n > data) flags = flags.Without(TcpFlags::kSyn);
}

}  // namespace tcpip::tcp
