#include "tcpip/wire/address.h"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <cstring>

namespace tcpip {
namespace {

constexpr std::array<uint8_t, 12> kMappedPrefix = {0, 0, 0, 0, 0,    0,
                                                   0, 0, 0, 0, 0xff, 0xff};

bool TakePrefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

// A number at the front of `text`, in at most `max_digits` digits.
std::optional<uint16_t> TakeNumber(std::string_view& text, int base,
                                   size_t max_digits) {
  const char* const begin = text.data();
  const char* const end = begin + std::min(text.size(), max_digits);
  uint16_t value = 0;
  const auto [rest, error] = std::from_chars(begin, end, value, base);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(rest - begin));
  return value;
}

// A leading zero is refused: to some programs it means octal.
std::optional<uint16_t> TakeDecimal(std::string_view& text, uint16_t max) {
  const bool starts_with_zero = text.starts_with('0');
  const size_t size_before = text.size();
  const std::optional<uint16_t> value = TakeNumber(text, 10, 5);
  if (!value || *value > max) return std::nullopt;
  if (starts_with_zero && size_before - text.size() > 1) return std::nullopt;
  return value;
}

std::optional<uint16_t> ParsePort(std::string_view text) {
  const std::optional<uint16_t> port = TakeDecimal(text, 0xffff);
  return text.empty() ? port : std::nullopt;
}

// The whole of `text` as a dotted quad.
bool ParseDottedQuad(std::string_view text, uint8_t* four) {
  for (int i = 0; i < 4; ++i) {
    if (i > 0 && !TakePrefix(text, ".")) return false;
    const std::optional<uint16_t> octet = TakeDecimal(text, 0xff);
    if (!octet) return false;
    four[i] = static_cast<uint8_t>(*octet);
  }
  return text.empty();
}

std::optional<IpAddress> ParseIpv4(std::string_view text) {
  uint8_t four[4];
  if (!ParseDottedQuad(text, four)) return std::nullopt;
  return IpAddress::FromIpv4Bytes(four);
}

// [RFC 4291 2.2] groups of up to four hex digits, "::" once for one or more
// zero groups, and perhaps a dotted quad in place of the last two groups.
std::optional<IpAddress> ParseIpv6(std::string_view text) {
  std::array<uint8_t, 16> bytes = {};
  size_t size = 0;
  std::optional<size_t> gap;
  if (TakePrefix(text, "::")) gap = 0;
  while (!text.empty()) {
    if (size == 16) return std::nullopt;
    if (size <= 12 && text.find(':') == text.npos &&
        text.find('.') != text.npos) {
      if (!ParseDottedQuad(text, &bytes[size])) return std::nullopt;
      size += 4;
      break;
    }
    const std::optional<uint16_t> group = TakeNumber(text, 16, 4);
    if (!group) return std::nullopt;
    StoreBe16(&bytes[size], *group);
    size += 2;
    if (text.empty()) break;
    if (!gap && TakePrefix(text, "::")) {
      gap = size;
    } else if (!TakePrefix(text, ":") || text.empty()) {
      return std::nullopt;
    }
  }
  // Complete exactly when "::" is absent: it stands for one group at least.
  if ((size == 16) == gap.has_value()) return std::nullopt;
  if (gap) {
    std::rotate(bytes.begin() + *gap, bytes.begin() + size, bytes.end());
  }
  return IpAddress::FromIpv6Bytes(bytes.data());
}

struct GroupRun {
  int begin = 0;
  int size = 0;
};

GroupRun LongestZeroRun(const uint8_t* bytes) {
  GroupRun longest;
  GroupRun current;
  for (int i = 0; i < 8; ++i) {
    if (LoadBe16(bytes + 2 * i) != 0) {
      current = {};
      continue;
    }
    if (current.size++ == 0) current.begin = i;
    if (current.size > longest.size) longest = current;
  }
  return longest;
}

void AppendHex(std::string& text, uint16_t group) {
  char digits[4];
  const auto [end, error] = std::to_chars(digits, digits + 4, group, 16);
  text.append(digits, end);
}

// [RFC 5952 4] lower case, no leading zeros; the longest run of two or more
// zero groups, the first of equals, becomes "::".
std::string Ipv6ToString(const uint8_t* bytes) {
  GroupRun gap = LongestZeroRun(bytes);
  if (gap.size < 2) gap = {};
  std::string text;
  for (int i = 0; i < 8; ++i) {
    if (gap.size > 0 && i == gap.begin) {
      text += "::";
      i += gap.size - 1;
      continue;
    }
    if (!text.empty() && text.back() != ':') text += ':';
    AppendHex(text, LoadBe16(bytes + 2 * i));
  }
  return text;
}

// The bits of a prefix of `length` bits that fall into byte `index`.
uint8_t MaskByte(size_t index, uint8_t length) {
  const int bits = std::clamp(int{length} - 8 * static_cast<int>(index), 0, 8);
  return static_cast<uint8_t>(0xff00 >> bits);
}

}  // namespace

IpAddress IpAddress::FromIpv6Bytes(const uint8_t* sixteen) {
  IpAddress address;
  std::memcpy(address.bytes_.data(), sixteen, address.bytes_.size());
  return address;
}

std::optional<IpAddress> IpAddress::Parse(std::string_view text) {
  return text.find(':') == text.npos ? ParseIpv4(text) : ParseIpv6(text);
}

bool IpAddress::IsIpv4() const {
  return std::memcmp(bytes_.data(), kMappedPrefix.data(),
                     kMappedPrefix.size()) == 0;
}

bool IpAddress::IsUnspecified() const {
  return *this == Any(IpFamily::kIpv4) || *this == Any(IpFamily::kIpv6);
}

bool IpAddress::IsLoopback() const {
  if (IsIpv4()) return bytes_[12] == 127;
  constexpr IpAddress kLoopback(
      {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1});
  return *this == kLoopback;
}

bool IpAddress::IsMulticast() const {
  return IsIpv4() ? bytes_[12] >> 4 == 0xe : bytes_[0] == 0xff;
}

bool IpAddress::IsLinkLocal() const {
  if (IsIpv4()) return bytes_[12] == 169 && bytes_[13] == 254;
  return bytes_[0] == 0xfe && bytes_[1] >> 6 == 0x2;
}

bool IpAddress::IsIpv4Broadcast() const {
  return *this == Ipv4(255, 255, 255, 255);
}

std::string IpAddress::ToString() const {
  if (IsIpv6()) return Ipv6ToString(bytes_.data());
  std::string text = std::to_string(bytes_[12]);
  for (int i = 13; i < 16; ++i) text += '.' + std::to_string(bytes_[i]);
  return text;
}

std::optional<IpEndpoint> IpEndpoint::Parse(std::string_view text) {
  const size_t colon = text.rfind(':');
  if (colon == text.npos) return std::nullopt;
  const std::optional<uint16_t> port = ParsePort(text.substr(colon + 1));
  std::string_view host = text.substr(0, colon);
  std::optional<IpAddress> address;
  if (TakePrefix(host, "[")) {
    if (!host.ends_with(']')) return std::nullopt;
    host.remove_suffix(1);
    address = ParseIpv6(host);
  } else {
    address = ParseIpv4(host);
  }
  if (!address || !port) return std::nullopt;
  return IpEndpoint{*address, *port};
}

std::string IpEndpoint::ToString() const {
  const std::string host = address.ToString();
  return (address.IsIpv4() ? host : '[' + host + ']') + ':' +
         std::to_string(port);
}

std::optional<Cidr> Cidr::Parse(std::string_view text) {
  const size_t slash = text.find('/');
  const std::optional<IpAddress> address =
      IpAddress::Parse(text.substr(0, slash));
  if (!address) return std::nullopt;
  const uint8_t max = address->IsIpv4() ? 32 : 128;
  if (slash == text.npos) return Cidr{*address, max};
  text.remove_prefix(slash + 1);
  const std::optional<uint16_t> length = TakeDecimal(text, max);
  if (!length || !text.empty()) return std::nullopt;
  return Cidr{*address, static_cast<uint8_t>(*length)};
}

std::string Cidr::ToString() const {
  return address.ToString() + '/' + std::to_string(prefix_length);
}

bool Cidr::Contains(const IpAddress& a) const {
  const ByteSpan ours = address.bytes();
  const ByteSpan theirs = a.bytes();
  if (ours.size() != theirs.size()) return false;
  assert(prefix_length <= 8 * ours.size());
  for (size_t i = 0; i * 8 < prefix_length; ++i) {
    if ((ours[i] ^ theirs[i]) & MaskByte(i, prefix_length)) return false;
  }
  return true;
}

std::optional<IpAddress> Cidr::Broadcast() const {
  if (!address.IsIpv4() || prefix_length > 30) return std::nullopt;
  std::array<uint8_t, 4> bytes;
  for (size_t i = 0; i < bytes.size(); ++i) {
    const auto host_bits = static_cast<uint8_t>(~MaskByte(i, prefix_length));
    bytes[i] = address.bytes()[i] | host_bits;
  }
  return IpAddress::FromIpv4Bytes(bytes.data());
}

Cidr Cidr::Masked() const {
  const ByteSpan bytes = address.bytes();
  assert(prefix_length <= 8 * bytes.size());
  std::array<uint8_t, 16> masked = {};
  for (size_t i = 0; i < bytes.size(); ++i) {
    masked[i] = bytes[i] & MaskByte(i, prefix_length);
  }
  return {address.IsIpv4() ? IpAddress::FromIpv4Bytes(masked.data())
                           : IpAddress::FromIpv6Bytes(masked.data()),
          prefix_length};
}

std::string FourTuple::ToString() const {
  return local.ToString() + " -> " + remote.ToString();
}

}  // namespace tcpip
