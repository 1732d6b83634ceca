#include "tcpip/wire/icmp.h"

#include <algorithm>
#include <cassert>
#include <iterator>

namespace tcpip::wire {
namespace {

// The usual numbers of every kind but kOther, in the order of IcmpKind.
constexpr IcmpTypeCode kIcmpv4Numbers[] = {
    {8, 0}, {0, 0}, {3, 0}, {3, 13}, {3, 3}, {3, 2}, {3, 4}, {11, 0}, {12, 0}};
constexpr IcmpTypeCode kIcmpv6Numbers[] = {
    {128, 0}, {129, 0}, {1, 0}, {1, 1}, {1, 4}, {4, 1}, {2, 0}, {3, 0}, {4, 0}};
static_assert(std::size(kIcmpv4Numbers) ==
              static_cast<size_t>(IcmpKind::kOther));

// [RFC 1122 3.2.2.1] codes up to 12, [RFC 1812 5.2.7.1] code 13
IcmpKind KindOfUnreachable(uint8_t code) {
  switch (code) {
    case 0:   // net
    case 1:   // host
    case 5:   // source route failed
    case 6:   // net unknown
    case 7:   // host unknown
    case 8:   // source host isolated
    case 11:  // net, for this type of service
    case 12:  // host, for this type of service
      return IcmpKind::kNoRoute;
    case 2:
      return IcmpKind::kProtocolUnreachable;
    case 3:
      return IcmpKind::kPortUnreachable;
    case 4:
      return IcmpKind::kPacketTooBig;
    case 9:   // net
    case 10:  // host
    case 13:  // filtered
      return IcmpKind::kAdminProhibited;
    default:
      return IcmpKind::kOther;
  }
}

// [RFC 4443 3.1]
IcmpKind KindOfUnreachableV6(uint8_t code) {
  switch (code) {
    case 0:  // no route
    case 2:  // beyond the scope of the source
    case 3:  // address
      return IcmpKind::kNoRoute;
    case 1:
    case 5:  // source address policy: code 1, more precisely
    case 6:  // reject route: code 1, more precisely
      return IcmpKind::kAdminProhibited;
    case 4:
      return IcmpKind::kPortUnreachable;
    default:
      return IcmpKind::kOther;
  }
}

IcmpKind KindOfV4(uint8_t type, uint8_t code) {
  switch (type) {
    case 0:
      return IcmpKind::kEchoReply;
    case 3:
      return KindOfUnreachable(code);
    case 8:
      return IcmpKind::kEchoRequest;
    case 11:
      return IcmpKind::kTimeExceeded;
    case 12:
      return IcmpKind::kParameterProblem;
    default:
      return IcmpKind::kOther;
  }
}

IcmpKind KindOfV6(uint8_t type, uint8_t code) {
  switch (type) {
    case 1:
      return KindOfUnreachableV6(code);
    case 2:
      return IcmpKind::kPacketTooBig;
    case 3:
      return IcmpKind::kTimeExceeded;
    case 4:  // [RFC 4443 3.4] code 1 is an unrecognized next header
      return code == 1 ? IcmpKind::kProtocolUnreachable
                       : IcmpKind::kParameterProblem;
    case 128:
      return IcmpKind::kEchoRequest;
    case 129:
      return IcmpKind::kEchoReply;
    default:
      return IcmpKind::kOther;
  }
}

IcmpKind KindOf(IpFamily family, uint8_t type, uint8_t code) {
  return family == IpFamily::kIpv4 ? KindOfV4(type, code)
                                   : KindOfV6(type, code);
}

}  // namespace

bool IsNetUnreachable(IpFamily family, uint8_t code) {
  // [RFC 4443 3.1]
  if (family == IpFamily::kIpv6) return code == 0;
  // [RFC 1122 3.2.2.1], as named above
  return code == 0 || code == 5 || code == 6 || code == 11;
}

std::optional<IcmpMessage> ParseIcmp(IpFamily family, ByteSpan front) {
  if (front.size() < kIcmpHeaderSize) return std::nullopt;
  const uint8_t* const p = front.data();
  const bool v4 = family == IpFamily::kIpv4;
  IcmpMessage message;
  message.type = p[0];
  message.code = p[1];
  message.kind = KindOf(family, p[0], p[1]);
  message.checksum = LoadBe16(p + kIcmpChecksumOffset);
  message.payload = front.subspan(kIcmpHeaderSize);
  switch (message.kind) {
    case IcmpKind::kEchoRequest:
    case IcmpKind::kEchoReply:
      message.echo_id = LoadBe16(p + 4);
      message.echo_seq = LoadBe16(p + 6);
      break;
    case IcmpKind::kPacketTooBig:
      // [RFC 1191 4] the low half of the word; [RFC 4443 3.2] all of it
      message.mtu = v4 ? LoadBe16(p + 6) : LoadBe32(p + 4);
      break;
    case IcmpKind::kParameterProblem:
      message.pointer = v4 ? p[4] : LoadBe32(p + 4);
      break;
    case IcmpKind::kProtocolUnreachable:
      message.pointer = v4 ? 0 : LoadBe32(p + 4);
      break;
    default:
      break;
  }
  return message;
}

IcmpTypeCode TypeCodeFor(IpFamily family, IcmpKind kind) {
  assert(kind != IcmpKind::kOther);
  const auto index = static_cast<size_t>(kind);
  return family == IpFamily::kIpv4 ? kIcmpv4Numbers[index]
                                   : kIcmpv6Numbers[index];
}

void EmitIcmpHeader(IpFamily family, const IcmpMessage& message,
                    MutableByteSpan to) {
  assert(to.size() >= kIcmpHeaderSize);
  const bool v4 = family == IpFamily::kIpv4;
  const IcmpTypeCode usual = TypeCodeFor(family, message.kind);
  const bool code_fits =
      KindOf(family, usual.type, message.code) == message.kind;
  uint8_t* const p = to.data();
  p[0] = usual.type;
  p[1] = code_fits ? message.code : usual.code;
  StoreBe16(p + kIcmpChecksumOffset, 0);
  StoreBe32(p + 4, 0);
  switch (message.kind) {
    case IcmpKind::kEchoRequest:
    case IcmpKind::kEchoReply:
      StoreBe16(p + 4, message.echo_id);
      StoreBe16(p + 6, message.echo_seq);
      break;
    case IcmpKind::kPacketTooBig:
      if (v4) {
        StoreBe16(p + 6, static_cast<uint16_t>(
                             std::min(message.mtu, uint32_t{0xffff})));
      } else {
        StoreBe32(p + 4, message.mtu);
      }
      break;
    case IcmpKind::kParameterProblem:
      if (v4) {
        p[4] = static_cast<uint8_t>(message.pointer);
      } else {
        StoreBe32(p + 4, message.pointer);
      }
      break;
    case IcmpKind::kProtocolUnreachable:
      if (!v4) StoreBe32(p + 4, message.pointer);
      break;
    default:
      break;
  }
}

}  // namespace tcpip::wire
