#include "tcpip/stack/steering.h"

#include <algorithm>
#include <array>

#include "tcpip/base/bytes.h"

namespace tcpip {
namespace {

constexpr size_t kEndpointSize = 16 + 2;

uint8_t* Store(const IpEndpoint& endpoint, uint8_t* to) {
  const auto& address = endpoint.address.mapped_bytes();
  to = std::copy(address.begin(), address.end(), to);
  StoreBe16(to, endpoint.port);
  return to + 2;
}

}  // namespace

uint32_t Steering::HashOf(const FourTuple& tuple) const {
  std::array<uint8_t, 2 * kEndpointSize> message;
  const auto& [lower, upper] = std::minmax(tuple.local, tuple.remote);
  Store(upper, Store(lower, message.data()));
  return static_cast<uint32_t>(SipHash(key_, message));
}

uint32_t Steering::HashOf(uint16_t port) const {
  std::array<uint8_t, 2> message;
  StoreBe16(message.data(), port);
  return static_cast<uint32_t>(SipHash(key_, message));
}

}  // namespace tcpip
