// The packet part of an event, from "<" or ">" on: tunnel headers, IP fields,
// then TCP, UDP or ICMP. Called by ParseScript.
//
// Checks what can be checked without a stack: end == start + length, TCP
// options that fill whole words of at most 40 bytes [RFC 9293 3.1], and that
// an inbound packet says all that has to be built.
#ifndef CONFORMANCE_PARSER_PACKETS_H_
#define CONFORMANCE_PARSER_PACKETS_H_

#include "conformance/cursor.h"
#include "conformance/script.h"

namespace conformance {

// False with the cursor's error.
bool ParsePacket(Cursor& cursor, PacketSpec& packet);

}  // namespace conformance

#endif  // CONFORMANCE_PARSER_PACKETS_H_
