// Between the bytes of a packet and a PathModel, which sees none: what the
// model is told about a packet, and what its verdict does to it. RFC 791 3.1,
// RFC 8200 3, RFC 3168 5.
//
// Used by the simulated link and by forwarder. Judges nothing: a packet that
// does not parse is some bytes on a wire, too.
#ifndef EMULATOR_PACKET_FACTS_H_
#define EMULATOR_PACKET_FACTS_H_

#include <cstddef>
#include <cstdint>

#include "emulator/path_model.h"
#include "tcpip/base/bytes.h"

namespace emulator {

// Of an IP packet of `size` bytes that begins with `front`, all its headers.
// It has data when it is a TCP segment with payload, or no TCP segment.
OfferedPacket FactsOf(tcpip::ByteSpan front, size_t size);

// Sets Congestion Experienced in the IP header that `front` begins with, and
// keeps IPv4's checksum right.
void MarkCe(tcpip::MutableByteSpan front);

// Flips a bit; 0 is the high bit of the first byte. Checksums are not told.
void FlipBit(tcpip::MutableByteSpan packet, uint32_t bit);

}  // namespace emulator

#endif  // EMULATOR_PACKET_FACTS_H_
