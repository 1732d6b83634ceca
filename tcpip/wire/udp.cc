#include "tcpip/wire/udp.h"

#include <cassert>

namespace tcpip::wire {

std::optional<UdpHeader> ParseUdp(ByteSpan front, size_t datagram_size) {
  if (front.size() < kUdpHeaderSize) return std::nullopt;
  const uint8_t* const p = front.data();
  const UdpHeader header = {.source_port = LoadBe16(p),
                            .destination_port = LoadBe16(p + 2),
                            .length = LoadBe16(p + 4),
                            .checksum = LoadBe16(p + kUdpChecksumOffset)};
  if (header.length < kUdpHeaderSize || header.length > datagram_size) {
    return std::nullopt;
  }
  return header;
}

void EmitUdp(const UdpHeader& header, MutableByteSpan to) {
  assert(to.size() >= kUdpHeaderSize);
  uint8_t* const p = to.data();
  StoreBe16(p, header.source_port);
  StoreBe16(p + 2, header.destination_port);
  StoreBe16(p + 4, header.length);
  StoreBe16(p + kUdpChecksumOffset, header.checksum);
}

}  // namespace tcpip::wire
