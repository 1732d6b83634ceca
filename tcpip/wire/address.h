// Addresses as values: IpAddress, IpEndpoint, Cidr, FourTuple.
//
// An IPv4 address is kept as its v4-mapped IPv6 form (::ffff:a.b.c.d), so one
// 16-byte type serves both families, compares and hashes without branches, and
// two spellings of one address are equal. Parsing never looks up names and
// never allocates.
//
// RFC 4291 2.2 and RFC 5952 for the text of IPv6. Used by every layer.
#ifndef TCPIP_WIRE_ADDRESS_H_
#define TCPIP_WIRE_ADDRESS_H_

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "tcpip/base/bytes.h"

namespace tcpip {

enum class IpFamily : uint8_t { kIpv4, kIpv6 };

class IpAddress {
 public:
  // The IPv6 unspecified address, "::".
  constexpr IpAddress() = default;

  static constexpr IpAddress Ipv4(uint8_t a, uint8_t b, uint8_t c, uint8_t d) {
    return IpAddress({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, a, b, c, d});
  }
  static IpAddress FromIpv4Bytes(const uint8_t* four) {
    return Ipv4(four[0], four[1], four[2], four[3]);
  }
  static IpAddress FromIpv6Bytes(const uint8_t* sixteen);
  static constexpr IpAddress Any(IpFamily family) {
    return family == IpFamily::kIpv4 ? Ipv4(0, 0, 0, 0) : IpAddress();
  }
  // "192.0.2.1" or "2001:db8::1"; nullopt for anything else (no zone, no
  // brackets, no leading zeros in IPv4 octets).
  static std::optional<IpAddress> Parse(std::string_view text);

  IpFamily family() const {
    return IsIpv4() ? IpFamily::kIpv4 : IpFamily::kIpv6;
  }
  bool IsIpv4() const;
  bool IsIpv6() const { return !IsIpv4(); }
  bool IsUnspecified() const;    // 0.0.0.0 or ::
  bool IsLoopback() const;       // 127/8 or ::1
  bool IsMulticast() const;      // 224/4 or ff00::/8
  bool IsLinkLocal() const;      // 169.254/16 or fe80::/10
  bool IsIpv4Broadcast() const;  // 255.255.255.255

  // Four or sixteen bytes in network order.
  ByteSpan bytes() const {
    return IsIpv4() ? ByteSpan(bytes_.data() + 12, 4) : ByteSpan(bytes_);
  }
  const std::array<uint8_t, 16>& mapped_bytes() const { return bytes_; }

  std::string ToString() const;

  friend auto operator<=>(const IpAddress&, const IpAddress&) = default;
  template <typename H>
  friend H AbslHashValue(H h, const IpAddress& a) {
    return H::combine(std::move(h), a.bytes_);
  }

 private:
  explicit constexpr IpAddress(std::array<uint8_t, 16> b) : bytes_(b) {}
  std::array<uint8_t, 16> bytes_ = {};
};

// Spreads addresses over a small table: the high bits are the better ones. Has
// no key, so that whoever can choose addresses can choose where they fall.
inline uint32_t SpreadOf(const IpAddress& address, uint32_t seed = 0) {
  uint32_t spread = seed;
  for (const uint8_t byte : address.bytes()) {
    spread = (spread + byte + 1) * 0x9e3779b1;
  }
  return spread;
}

struct IpEndpoint {
  IpAddress address;
  uint16_t port = 0;

  // "192.0.2.1:80" or "[2001:db8::1]:80".
  static std::optional<IpEndpoint> Parse(std::string_view text);
  std::string ToString() const;

  friend auto operator<=>(const IpEndpoint&, const IpEndpoint&) = default;
  template <typename H>
  friend H AbslHashValue(H h, const IpEndpoint& e) {
    return H::combine(std::move(h), e.address, e.port);
  }
};

// An address and a prefix length in the address's own family (0..32, 0..128).
struct Cidr {
  IpAddress address;
  uint8_t prefix_length = 0;

  // "192.0.2.1/24"; without a slash a host prefix.
  static std::optional<Cidr> Parse(std::string_view text);
  std::string ToString() const;
  bool Contains(const IpAddress& a) const;  // false across families
  Cidr Masked() const;                      // host bits cleared
  // Every host of the prefix at once: IPv4 with all host bits set.
  // [RFC 1122 3.2.1.3] Prefixes of two addresses or one have none.
  // [RFC 3021 2.1]
  std::optional<IpAddress> Broadcast() const;
  bool IsBroadcast(const IpAddress& a) const { return Broadcast() == a; }

  friend auto operator<=>(const Cidr&, const Cidr&) = default;
  template <typename H>
  friend H AbslHashValue(H h, const Cidr& c) {
    return H::combine(std::move(h), c.address, c.prefix_length);
  }
};

// A transport flow as seen from this host.
struct FourTuple {
  IpEndpoint local;
  IpEndpoint remote;

  std::string ToString() const;  // "local -> remote"
  friend auto operator<=>(const FourTuple&, const FourTuple&) = default;
  template <typename H>
  friend H AbslHashValue(H h, const FourTuple& t) {
    return H::combine(std::move(h), t.local, t.remote);
  }
};

}  // namespace tcpip

#endif  // TCPIP_WIRE_ADDRESS_H_
