#include "tcpip/transport/tcp/isn.h"

#include <algorithm>
#include <array>

#include "tcpip/base/bytes.h"

namespace tcpip::tcp {
namespace {

constexpr size_t kAddressPairSize = 32;
constexpr size_t kTupleSize = kAddressPairSize + 4;

// Addresses first, so that the pair alone is a prefix.
std::array<uint8_t, kTupleSize> Bytes(const FourTuple& tuple) {
  std::array<uint8_t, kTupleSize> bytes;
  const auto& local = tuple.local.address.mapped_bytes();
  const auto& remote = tuple.remote.address.mapped_bytes();
  uint8_t* to = std::copy(local.begin(), local.end(), bytes.data());
  to = std::copy(remote.begin(), remote.end(), to);
  StoreBe16(to, tuple.local.port);
  StoreBe16(to + 2, tuple.remote.port);
  return bytes;
}

// Low half of a hash over a prefix of the tuple.
uint32_t Hash(const SipHashKey& key, ByteSpan bytes) {
  return static_cast<uint32_t>(SipHash(key, bytes));
}

}  // namespace

InitialNumberGenerator::InitialNumberGenerator(Rng& rng)
    : iss_key_(SipHashKey::FromRng(rng)),
      tsval_key_(SipHashKey::FromRng(rng)) {}

InitialNumbers InitialNumberGenerator::For(const FourTuple& tuple,
                                           Instant now) const {
  const auto bytes = Bytes(tuple);
  // [RFC 9293 3.4.1 MUST-8] a clock that ticks every 4 us
  const auto ticks = static_cast<uint32_t>(now.nanoseconds() / 4'000);
  // [RFC 9293 3.4.1 SHLD-1] ISN = M + F(tuple, secret) [fault X08]
  const SeqNum iss(Hash(iss_key_, bytes) + ticks);
  // [RFC 7323 5.4] an offset of its own for each pair of hosts [fault X10]
  const uint32_t tsval_offset =
      Hash(tsval_key_, ByteSpan(bytes).first(kAddressPairSize));
  return {iss, tsval_offset};
}

}  // namespace tcpip::tcp
