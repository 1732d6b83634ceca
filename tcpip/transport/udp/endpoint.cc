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

// The same, by references to its bytes.
Datagram Share(const Datagram& datagram) {
  return {.source = datagram.source,
          .destination = datagram.destination,
          .interface = datagram.interface,
          .ttl = datagram.ttl,
          .tos = datagram.tos,
          .arrival = datagram.arrival,
          .payload = datagram.payload.Share(),
          .size = datagram.size};
}

}  // namespace

bool Endpoint::Enqueue(Datagram datagram, SlabPool& pool) {
  // As Linux: the last one may overshoot, so that any one datagram fits.
  if (charged_ >= limit_) return false;
  datagram.size = datagram.payload.size();
  Compact(datagram.payload, pool);
  charged_ += ChargeFor(datagram);
  queue_.PushBack(std::move(datagram));
  return true;
}

std::optional<Datagram> Endpoint::Receive(const ReceiveOptions& options) {
  if (!readable()) return std::nullopt;
  if (!options.peek) charged_ -= ChargeFor(queue_.front());
  std::optional<Datagram> datagram =
      options.peek ? Share(queue_.front()) : queue_.PopFront();
  if (datagram->size > options.max_bytes) {
    datagram->payload.TrimBack(datagram->size - options.max_bytes);
  }
  return datagram;
}

}  // namespace tcpip::udp
