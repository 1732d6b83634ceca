#include "tcpip/stack/flow_hash.h"

#include <cstring>

namespace tcpip {
namespace {

uint64_t MultiplyFold(uint64_t a, uint64_t b) {
  const auto product = static_cast<unsigned __int128>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

struct Halves {
  uint64_t low;
  uint64_t high;
};

Halves Load(const IpAddress& address) {
  Halves halves;
  std::memcpy(&halves.low, address.mapped_bytes().data(), 8);
  std::memcpy(&halves.high, address.mapped_bytes().data() + 8, 8);
  return halves;
}

}  // namespace

FlowHash::FlowHash(Rng& rng) {
  for (uint64_t& word : key_) word = rng.Next() | 1;
}

size_t FlowHash::operator()(const FourTuple& tuple) const {
  const Halves local = Load(tuple.local.address);
  const Halves remote = Load(tuple.remote.address);
  const uint64_t ports = uint64_t{tuple.local.port} << 16 | tuple.remote.port;
  const uint64_t addresses =
      MultiplyFold(local.low ^ key_[0], local.high ^ key_[1]) ^
      MultiplyFold(remote.low ^ key_[2], remote.high ^ key_[3]);
  return static_cast<size_t>(MultiplyFold(addresses ^ ports, key_[4]));
}

}  // namespace tcpip
