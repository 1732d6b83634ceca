#include "tcpip/wire/tcp.h"

#include <algorithm>
#include <cassert>

namespace tcpip::wire {
namespace {

PartialSum AddProtocol(PartialSum sum, uint8_t protocol, uint32_t length) {
  return sum.AddWord(protocol)
      .AddWord(static_cast<uint16_t>(length >> 16))
      .AddWord(static_cast<uint16_t>(length));
}

}  // namespace

std::string TcpFlags::ToString() const {
  struct Letter {
    Bit bit;
    char letter;
  };
  constexpr Letter kLetters[] = {{kFin, 'F'}, {kSyn, 'S'}, {kRst, 'R'},
                                 {kPsh, 'P'}, {kUrg, 'U'}, {kEce, 'E'},
                                 {kCwr, 'W'}, {kAck, '.'}};
  std::string text;
  for (const Letter& l : kLetters) {
    if (bits_ & l.bit) text += l.letter;
  }
  return text.empty() ? "-" : text;
}

std::optional<TcpHeader> ParseTcp(ByteSpan packet) {
  if (packet.size() < kTcpHeaderSize) return std::nullopt;
  const uint8_t* const p = packet.data();
  const size_t header_size = (p[kTcpDataOffset] >> 4) * size_t{4};
  if (header_size < kTcpHeaderSize || header_size > packet.size()) {
    return std::nullopt;
  }
  TcpHeader header;
  header.source_port = LoadBe16(p);
  header.destination_port = LoadBe16(p + 2);
  header.seq = LoadBe32(p + kTcpSeqOffset);
  header.ack = LoadBe32(p + kTcpAckOffset);
  header.flags = TcpFlags(p[kTcpFlagsOffset]);
  header.window = LoadBe16(p + kTcpWindowOffset);
  header.checksum = LoadBe16(p + kTcpChecksumOffset);
  header.urgent_pointer = LoadBe16(p + kTcpUrgentOffset);
  header.options = packet.subspan(kTcpHeaderSize, header_size - kTcpHeaderSize);
  return header;
}

void EmitTcp(const TcpHeader& header, MutableByteSpan to) {
  const uint32_t size = header.size();
  assert(size % 4 == 0 && size <= kTcpMaxHeaderSize && size <= to.size());
  uint8_t* const p = to.data();
  StoreBe16(p, header.source_port);
  StoreBe16(p + 2, header.destination_port);
  StoreBe32(p + kTcpSeqOffset, header.seq);
  StoreBe32(p + kTcpAckOffset, header.ack);
  p[kTcpDataOffset] = static_cast<uint8_t>(size / 4 << 4);
  p[kTcpFlagsOffset] = header.flags.bits();
  StoreBe16(p + kTcpWindowOffset, header.window);
  StoreBe16(p + kTcpChecksumOffset, header.checksum);
  StoreBe16(p + kTcpUrgentOffset, header.urgent_pointer);
  std::copy(header.options.begin(), header.options.end(), p + kTcpHeaderSize);
}

PartialSum PseudoHeaderSum(const IpAddress& source,
                           const IpAddress& destination, uint8_t protocol,
                           uint32_t length) {
  // [RFC 9293 3.1 MUST-2] [RFC 8200 8.1] The two pseudo headers order and pad
  // the same words differently, which a sum does not see; nor does it see the
  // 0xffff of a mapped IPv4 address, which is zero in one's complement.
  PartialSum sum = SumBytes(source.mapped_bytes());
  sum.Combine(SumBytes(destination.mapped_bytes()), 0);
  return AddProtocol(sum, protocol, length);
}

PartialSum PseudoHeaderSum(ByteSpan addresses, uint8_t protocol,
                           uint32_t length) {
  return AddProtocol(SumBytes(addresses), protocol, length);
}

}  // namespace tcpip::wire
