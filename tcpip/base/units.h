// Bandwidth: a rate with its unit in the type, and the arithmetic that leads
// from bytes to time and back.
//
// Bits and bytes per second cannot be mixed up; products are 128 bits wide and
// results saturate, so no rate, size or time overflows. Rounding is never in
// the sender's favour: times round up, byte counts and rates round down.
#ifndef TCPIP_BASE_UNITS_H_
#define TCPIP_BASE_UNITS_H_

#include <compare>
#include <cstdint>
#include <limits>

#include "tcpip/base/time.h"

namespace tcpip {

class Bandwidth {
 public:
  constexpr Bandwidth() = default;
  static constexpr Bandwidth Zero() { return Bandwidth(); }
  static constexpr Bandwidth BitsPerSecond(uint64_t n) { return Bandwidth(n); }
  static constexpr Bandwidth BytesPerSecond(uint64_t n) {
    return Bandwidth(Saturate(Wide{n} * 8));
  }
  static constexpr Bandwidth MegabitsPerSecond(uint64_t n) {
    return Bandwidth(Saturate(Wide{n} * 1'000'000));
  }
  // The rate that moves `bytes` in `interval`, which must be positive.
  static constexpr Bandwidth FromTransfer(uint64_t bytes, Duration interval) {
    return Bandwidth(Saturate(Wide{bytes} * kBitNanoseconds / Count(interval)));
  }

  constexpr uint64_t bits_per_second() const { return bps_; }
  constexpr uint64_t bytes_per_second() const { return bps_ / 8; }
  constexpr bool IsZero() const { return bps_ == 0; }

  // The time `bytes` take at this rate; the longest Duration at rate zero.
  constexpr Duration TransmitTime(uint64_t bytes) const {
    constexpr uint64_t kLongest = std::numeric_limits<int64_t>::max();
    if (bytes == 0) return Duration::Zero();
    if (IsZero()) return Duration::Nanoseconds(kLongest);
    const Wide ns = (Wide{bytes} * kBitNanoseconds + bps_ - 1) / bps_;
    return Duration::Nanoseconds(
        static_cast<int64_t>(ns < kLongest ? ns : kLongest));
  }

  // Whole bytes that pass in `interval`, which must not be negative.
  constexpr uint64_t BytesIn(Duration interval) const {
    return Saturate(Wide{bps_} * Count(interval) / kBitNanoseconds);
  }

  // This rate times numerator / denominator: gains without floating point.
  constexpr Bandwidth Scaled(uint32_t numerator, uint32_t denominator) const {
    return Bandwidth(Saturate(Wide{bps_} * numerator / denominator));
  }

  friend constexpr auto operator<=>(Bandwidth, Bandwidth) = default;

 private:
  using Wide = unsigned __int128;
  // Nanoseconds per second times bits per byte.
  static constexpr uint64_t kBitNanoseconds = 8'000'000'000;

  static constexpr uint64_t Saturate(Wide v) {
    constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();
    return v < kMost ? static_cast<uint64_t>(v) : kMost;
  }
  static constexpr uint64_t Count(Duration d) {
    return static_cast<uint64_t>(d.nanoseconds());
  }

  explicit constexpr Bandwidth(uint64_t bps) : bps_(bps) {}
  uint64_t bps_ = 0;
};

}  // namespace tcpip

#endif  // TCPIP_BASE_UNITS_H_
