// Sequence numbers and windows that cannot be mixed up. RFC 9293 3.4, RFC
// 7323 2, 5.2.
//
// SeqNum and timestamps compare modulo 2^32 (serial order), so that is only an
// order within half the space. A WireWindow is the raw 16-bit field; only
// `WireWindow << WindowScale` makes a WindowSize in bytes.
#ifndef TCPIP_TRANSPORT_TCP_SEQ_H_
#define TCPIP_TRANSPORT_TCP_SEQ_H_

#include <algorithm>
#include <compare>
#include <cstdint>

namespace tcpip::tcp {

class SeqNum {
 public:
  constexpr SeqNum() = default;
  explicit constexpr SeqNum(uint32_t value) : value_(value) {}

  constexpr uint32_t value() const { return value_; }

  friend constexpr bool operator==(SeqNum, SeqNum) = default;
  friend constexpr bool operator<(SeqNum a, SeqNum b) { return a - b < 0; }
  friend constexpr bool operator>(SeqNum a, SeqNum b) { return b < a; }
  friend constexpr bool operator<=(SeqNum a, SeqNum b) { return !(b < a); }
  friend constexpr bool operator>=(SeqNum a, SeqNum b) { return !(a < b); }

  friend constexpr SeqNum operator+(SeqNum a, uint32_t n) {
    return SeqNum(a.value_ + n);
  }
  friend constexpr SeqNum operator-(SeqNum a, uint32_t n) {
    return SeqNum(a.value_ - n);
  }
  // Signed distance from b to a.
  friend constexpr int32_t operator-(SeqNum a, SeqNum b) {
    return static_cast<int32_t>(a.value_ - b.value_);
  }
  constexpr SeqNum& operator+=(uint32_t n) { return *this = *this + n; }

 private:
  uint32_t value_ = 0;
};

constexpr SeqNum Max(SeqNum a, SeqNum b) { return a < b ? b : a; }
constexpr SeqNum Min(SeqNum a, SeqNum b) { return a < b ? a : b; }

// [RFC 7323 5.2] the older of two timestamps
constexpr bool TsvalIsBefore(uint32_t a, uint32_t b) {
  return static_cast<int32_t>(a - b) < 0;
}

// Half-open range of sequence space.
struct SeqRange {
  SeqNum begin;
  SeqNum end;

  constexpr uint32_t size() const { return static_cast<uint32_t>(end - begin); }
  constexpr bool empty() const { return !(begin < end); }
  constexpr bool Contains(SeqNum s) const { return begin <= s && s < end; }
  friend constexpr bool operator==(SeqRange, SeqRange) = default;
};

// [RFC 7323 2.3] a shift above 14 is taken as 14
class WindowScale {
 public:
  static constexpr uint8_t kMax = 14;
  constexpr WindowScale() = default;
  explicit constexpr WindowScale(uint8_t shift)
      : shift_(std::min(shift, kMax)) {}
  constexpr uint8_t shift() const { return shift_; }
  friend constexpr bool operator==(WindowScale, WindowScale) = default;

 private:
  uint8_t shift_ = 0;
};

// A window in bytes.
class WindowSize {
 public:
  constexpr WindowSize() = default;
  explicit constexpr WindowSize(uint32_t bytes) : bytes_(bytes) {}
  constexpr uint32_t bytes() const { return bytes_; }
  friend constexpr auto operator<=>(WindowSize, WindowSize) = default;

 private:
  uint32_t bytes_ = 0;
};

// The window field of a segment.
class WireWindow {
 public:
  constexpr WireWindow() = default;
  explicit constexpr WireWindow(uint16_t field) : field_(field) {}
  constexpr uint16_t field() const { return field_; }

  // The field that offers `window` rounded down to the scale's granule.
  static constexpr WireWindow RoundedDown(WindowSize window,
                                          WindowScale scale) {
    return WireWindow(static_cast<uint16_t>(
        std::min<uint32_t>(window.bytes() >> scale.shift(), 0xffff)));
  }
  friend constexpr WindowSize operator<<(WireWindow w, WindowScale scale) {
    return WindowSize(uint32_t{w.field_} << scale.shift());
  }
  friend constexpr bool operator==(WireWindow, WireWindow) = default;

 private:
  uint16_t field_ = 0;
};

}  // namespace tcpip::tcp

#endif  // TCPIP_TRANSPORT_TCP_SEQ_H_
