// What a link with offloads does to packets, in software: completes checksums,
// cuts super-segments for the wire, and merges runs of segments again.
//
// Cutting follows RFC 9293 and what Linux's TSO does: sequence numbers go on,
// FIN and PSH stay with the last piece, CWR with the first, IPv4
// identification counts up.
#ifndef TCPIP_TESTING_SEGMENTATION_H_
#define TCPIP_TESTING_SEGMENTATION_H_

#include <cstdint>
#include <span>
#include <vector>

#include "tcpip/base/bytes.h"
#include "tcpip/buffer/packet.h"
#include "tcpip/testing/packet_reader.h"

namespace tcpip::sim {

// The bytes of one packet with its checksum as on the wire. A super-segment
// stays whole, and its checksum is that of the whole.
Bytes Complete(const Packet& packet);

// The pieces of a TCP packet with at most `gso_size` bytes of payload each;
// 0 does not cut.
std::vector<Bytes> Cut(ByteSpan packet, uint16_t gso_size);

// One packet of neighbouring pieces that Cut made, at least one.
Bytes Merge(std::span<const Bytes> run);

}  // namespace tcpip::sim

#endif  // TCPIP_TESTING_SEGMENTATION_H_
