// Instant and Duration: 64-bit nanoseconds with the unit in the type.
//
// Every layer takes `Instant now` as an argument; nothing here can ask what
// time it is (the machine's clock is read in shard/host only). An Instant
// counts from an arbitrary origin, so only differences mean anything.
// Instant::Never() is later than every other Instant and stays Never when a
// Duration is added, so "no deadline" needs no special case. A sum beyond the
// last Instant is Never, too. Instant::LongAgo() is before every other.
#ifndef TCPIP_BASE_TIME_H_
#define TCPIP_BASE_TIME_H_

#include <compare>
#include <cstdint>
#include <limits>

namespace tcpip {

class Duration {
 public:
  constexpr Duration() = default;
  static constexpr Duration Zero() { return Duration(); }
  static constexpr Duration Nanoseconds(int64_t n) { return Duration(n); }
  static constexpr Duration Microseconds(int64_t n) {
    return Duration(n * 1'000);
  }
  static constexpr Duration Milliseconds(int64_t n) {
    return Duration(n * 1'000'000);
  }
  static constexpr Duration Seconds(int64_t n) {
    return Duration(n * 1'000'000'000);
  }

  constexpr int64_t nanoseconds() const { return ns_; }
  constexpr int64_t microseconds() const { return ns_ / 1'000; }
  constexpr int64_t milliseconds() const { return ns_ / 1'000'000; }

  friend constexpr auto operator<=>(Duration, Duration) = default;
  friend constexpr Duration operator+(Duration a, Duration b) {
    return Duration(a.ns_ + b.ns_);
  }
  friend constexpr Duration operator-(Duration a, Duration b) {
    return Duration(a.ns_ - b.ns_);
  }
  friend constexpr Duration operator*(Duration a, int64_t k) {
    return Duration(a.ns_ * k);
  }
  friend constexpr Duration operator*(int64_t k, Duration a) { return a * k; }
  friend constexpr Duration operator/(Duration a, int64_t k) {
    return Duration(a.ns_ / k);
  }
  constexpr Duration& operator+=(Duration b) { return *this = *this + b; }
  constexpr Duration& operator-=(Duration b) { return *this = *this - b; }

 private:
  explicit constexpr Duration(int64_t ns) : ns_(ns) {}
  int64_t ns_ = 0;
};

class Instant {
 public:
  constexpr Instant() = default;
  static constexpr Instant FromNanoseconds(int64_t ns) { return Instant(ns); }
  static constexpr Instant Never() {
    return Instant(std::numeric_limits<int64_t>::max());
  }
  // For comparisons only: its distance to another may be no Duration.
  static constexpr Instant LongAgo() {
    return Instant(std::numeric_limits<int64_t>::min());
  }

  constexpr int64_t nanoseconds() const { return ns_; }
  constexpr bool IsNever() const { return *this == Never(); }

  friend constexpr auto operator<=>(Instant, Instant) = default;
  friend constexpr Instant operator+(Instant t, Duration d) {
    int64_t ns;
    if (t.IsNever() || __builtin_add_overflow(t.ns_, d.nanoseconds(), &ns)) {
      return Never();
    }
    return Instant(ns);
  }
  friend constexpr Instant operator-(Instant t, Duration d) {
    return t.IsNever() ? t : Instant(t.ns_ - d.nanoseconds());
  }
  // Neither operand may be Never.
  friend constexpr Duration operator-(Instant a, Instant b) {
    return Duration::Nanoseconds(a.ns_ - b.ns_);
  }
  constexpr Instant& operator+=(Duration d) { return *this = *this + d; }

 private:
  explicit constexpr Instant(int64_t ns) : ns_(ns) {}
  int64_t ns_ = 0;
};

}  // namespace tcpip

#endif  // TCPIP_BASE_TIME_H_
