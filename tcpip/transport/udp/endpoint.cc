#include "tcpip/transport/udp/endpoint.h"

#include <utility>

#include "tcpip/buffer/view.h"

namespace tcpip::udp {
namespace {

size_t ChargeFor(const Datagram& datagram) {
  return datagram.payload.pinned_bytes() + kDatagramOverhead;
}

// Copies a payload that keeps alive far more memory than it needs.
void Compact(ViewChain& payload, SlabPool& pool) {
  if (payload.empty()) return;
  const size_t needed = SlabCapacity(SlabPool::ClassFor(payload.size()));
  if (payload.pinned_bytes() < 2 * needed) return;
  ViewChain compact;
  for (size_t i = 0; i < payload.view_count(); ++i) {
    compact.AppendCopy(pool, payload.view(i).span());
  }
  payload = std::move(compact);
}

}  // namespace

bool IsChecksumAcceptable(IpFamily family, uint16_t field, PartialSum sum) {
  if (field == 0) return family == IpFamily::kIpv4;
  return sum.IsValid();
}

uint16_t ChecksumField(PartialSum sum) {
  const uint16_t field = sum.Checksum();
  return field == 0 ? 0xffff : field;
}

Endpoint::Endpoint(const IpEndpoint& local,
                   const std::optional<IpEndpoint>& remote,
                   uint32_t receive_queue_bytes)
    : local_(local), remote_(remote), limit_(receive_queue_bytes) {}

bool Endpoint::Enqueue(Datagram datagram, SlabPool& pool) {
  // As Linux: the last one may overshoot, so that any one datagram fits.
  if (charged_ >= limit_) return false;
  Compact(datagram.payload, pool);
  charged_ += ChargeFor(datagram);
  queue_.push_back(std::move(datagram));
  return true;
}

std::optional<Datagram> Endpoint::Dequeue() {
  if (!readable()) return std::nullopt;
  Datagram datagram = std::move(queue_[next_++]);
  charged_ -= ChargeFor(datagram);
  if (2 * next_ >= queue_.size()) {
    queue_.erase(queue_.begin(),
                 queue_.begin() + static_cast<std::ptrdiff_t>(next_));
    next_ = 0;
  }
  return datagram;
}

}  // namespace tcpip::udp
