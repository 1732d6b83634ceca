#include "tcpip/stack/ports.h"

#include <algorithm>
#include <cassert>

#include "tcpip/base/bytes.h"

namespace tcpip {

Ports::Ports(uint16_t first, uint16_t last, Rng& rng)
    : first_(first),
      last_(last),
      key_(SipHashKey::FromRng(rng)),
      binding_counter_(static_cast<uint32_t>(rng.Next())) {
  assert(first <= last);
  for (uint32_t& counter : counters_) {
    counter = static_cast<uint32_t>(rng.Next());
  }
}

void Ports::Release(uint16_t port) {
  const auto it = held_.find(port);
  assert(it != held_.end());
  if (--it->second == 0) held_.erase(it);
}

uint32_t Ports::NextBindingOffset() {
  std::array<uint8_t, 4> message;
  StoreBe32(message.data(), binding_counter_++);
  return static_cast<uint32_t>(SipHash(key_, message));
}

Ports::Sequence Ports::SequenceFor(const IpAddress& local,
                                   const IpEndpoint& remote) {
  std::array<uint8_t, 34> message;
  const auto end = std::copy(local.mapped_bytes().begin(),
                             local.mapped_bytes().end(), message.begin());
  std::copy(remote.address.mapped_bytes().begin(),
            remote.address.mapped_bytes().end(), end);
  StoreBe16(&message[32], remote.port);
  const uint64_t hash = SipHash(key_, message);
  // [RFC 6056 3.3.4] one half is F's offset, the other chooses the counter
  return {static_cast<uint32_t>(hash),
          &counters_[(hash >> 32) % counters_.size()]};
}

}  // namespace tcpip
