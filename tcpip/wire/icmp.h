// The ICMPv4 and ICMPv6 messages this stack sends or believes: echo, and the
// errors with their quoted packet. RFC 792, RFC 4443, RFC 1191.
//
// Parse yields a view of the message; checksums are the caller's (ICMPv6 needs
// the pseudo header). Called by network/icmp; rate limits and validation
// against a flow live above.
#ifndef TCPIP_WIRE_ICMP_H_
#define TCPIP_WIRE_ICMP_H_

#include <cstdint>
#include <optional>

#include "tcpip/base/bytes.h"
#include "tcpip/wire/address.h"

namespace tcpip::wire {

inline constexpr uint32_t kIcmpHeaderSize = 8;
inline constexpr uint32_t kIcmpChecksumOffset = 2;

// What a message means, whatever the family's numbers for it.
enum class IcmpKind : uint8_t {
  kEchoRequest,
  kEchoReply,
  kNoRoute,  // net or host unreachable, no route
  kAdminProhibited,
  kPortUnreachable,
  kProtocolUnreachable,  // v4 protocol unreachable, v6 unknown next header
  kPacketTooBig,         // v4 fragmentation needed
  kTimeExceeded,
  kParameterProblem,
  kOther,
};

// ICMPv4's types that report something and are no kind of ours.
namespace icmp_type {
inline constexpr uint8_t kUnreachable = 3;  // of a code we do not know
inline constexpr uint8_t kSourceQuench = 4;
inline constexpr uint8_t kRedirect = 5;
}  // namespace icmp_type

// Codes of kinds that have several.
namespace icmp_code {
inline constexpr uint8_t kReassemblyTime = 1;  // of kTimeExceeded
// Of kParameterProblem over IPv6. [RFC 4443 3.4]
inline constexpr uint8_t kErroneousField = 0;
inline constexpr uint8_t kUnrecognizedOption = 2;
inline constexpr uint8_t kIncompleteChain = 3;  // [RFC 7112 5]
}  // namespace icmp_code

// Does a kNoRoute of this code say that there is no route to the network,
// rather than nobody there who answers for the host?
bool IsNetUnreachable(IpFamily family, uint8_t code);

struct IcmpMessage {
  IcmpKind kind = IcmpKind::kOther;
  uint8_t type = 0;
  uint8_t code = 0;
  uint16_t checksum = 0;
  uint16_t echo_id = 0;   // echo only
  uint16_t echo_seq = 0;  // echo only
  uint32_t mtu = 0;       // kPacketTooBig; 0 where an old router gave none
  uint32_t pointer = 0;   // kParameterProblem; v6 kProtocolUnreachable
  ByteSpan payload;       // echo data, or the quoted packet (in the front)
};

std::optional<IcmpMessage> ParseIcmp(IpFamily family, ByteSpan front);

// The usual numbers for `kind` in `family`; kOther is not allowed.
struct IcmpTypeCode {
  uint8_t type;
  uint8_t code;
};
IcmpTypeCode TypeCodeFor(IpFamily family, IcmpKind kind);

// Writes the 8-byte header of `message`, checksum field zero. The kind decides
// the type; message.code stands where it is one of the kind's codes (a host
// rather than a net without route, an unrecognized IPv6 option), else the usual
// code is written.
void EmitIcmpHeader(IpFamily family, const IcmpMessage& message,
                    MutableByteSpan to);

}  // namespace tcpip::wire

#endif  // TCPIP_WIRE_ICMP_H_
