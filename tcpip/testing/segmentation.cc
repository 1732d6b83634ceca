#include "tcpip/testing/segmentation.h"

#include <algorithm>
#include <cassert>
#include <optional>
#include <utility>

#include "tcpip/base/checksum.h"
#include "tcpip/wire/ipv4.h"
#include "tcpip/wire/ipv6.h"
#include "tcpip/wire/tcp.h"

namespace tcpip::sim {
namespace {

constexpr uint32_t kTcpSeqOffset = 4;
constexpr uint32_t kTcpFlagsOffset = 13;
constexpr int kLastOnly = wire::TcpFlags::kFin | wire::TcpFlags::kPsh;

// Where a TCP packet's headers lie.
struct Layout {
  size_t tcp = 0;
  size_t payload = 0;
};

Layout LayoutOf(ByteSpan packet) {
  const std::optional<ReadPacket> read = Read(packet);
  assert(read && read->tcp);
  return {read->ip_header_size, packet.size() - read->tcp->payload.size()};
}

// Makes lengths and checksums those of the packet as it is now.
void Reseal(Bytes& packet, uint16_t id_increment) {
  if (packet[0] >> 4 == 4) {
    const size_t header = size_t{packet[0]} % 16 * 4;
    StoreBe16(&packet[2], static_cast<uint16_t>(packet.size()));
    StoreBe16(&packet[4],
              static_cast<uint16_t>(LoadBe16(&packet[4]) + id_increment));
    StoreBe16(&packet[10], 0);
    StoreBe16(&packet[10], SumBytes(ByteSpan(packet).first(header)).Checksum());
  } else {
    StoreBe16(&packet[4],
              static_cast<uint16_t>(packet.size() - wire::kIpv6HeaderSize));
  }
  const std::optional<ReadPacket> read = Read(packet);
  assert(read && read->tcp);
  uint8_t* const field =
      &packet[read->ip_header_size + wire::kTcpChecksumOffset];
  StoreBe16(field, 0);
  StoreBe16(field, ComputeChecksum(read->source, read->destination, wire::kTcp,
                                   read->transport));
}

}  // namespace

Bytes Complete(const Packet& packet) {
  Bytes bytes = Flatten(packet);
  const Offload& offload = packet.offload();
  if (offload.checksum == ChecksumState::kPartial) {
    const size_t start = offload.checksum_start;
    const PartialSum sum = SumBytes(ByteSpan(bytes).subspan(start));
    StoreBe16(&bytes[start + offload.checksum_offset], sum.Checksum());
  }
  return bytes;
}

std::vector<Bytes> Cut(ByteSpan packet, uint16_t gso_size) {
  std::vector<Bytes> pieces;
  if (gso_size == 0) {
    pieces.emplace_back(packet.begin(), packet.end());
    return pieces;
  }
  const Layout layout = LayoutOf(packet);
  const ByteSpan headers = packet.first(layout.payload);
  const ByteSpan payload = packet.subspan(layout.payload);
  const uint32_t seq = LoadBe32(&packet[layout.tcp + kTcpSeqOffset]);
  for (size_t at = 0; at == 0 || at < payload.size(); at += gso_size) {
    const size_t n = std::min<size_t>(gso_size, payload.size() - at);
    Bytes piece(headers.begin(), headers.end());
    piece.insert(piece.end(), payload.begin() + at, payload.begin() + at + n);
    StoreBe32(&piece[layout.tcp + kTcpSeqOffset],
              seq + static_cast<uint32_t>(at));
    uint8_t& flags = piece[layout.tcp + kTcpFlagsOffset];
    if (at + n < payload.size()) flags &= static_cast<uint8_t>(~kLastOnly);
    if (at > 0) flags &= static_cast<uint8_t>(~wire::TcpFlags::kCwr);
    Reseal(piece, static_cast<uint16_t>(pieces.size()));
    pieces.push_back(std::move(piece));
  }
  return pieces;
}

Bytes Merge(std::span<const Bytes> run) {
  Bytes merged = run.front();
  if (run.size() == 1) return merged;
  const Layout layout = LayoutOf(merged);
  for (const Bytes& piece : run.subspan(1)) {
    merged.insert(merged.end(), piece.begin() + layout.payload, piece.end());
  }
  merged[layout.tcp + kTcpFlagsOffset] |=
      run.back()[layout.tcp + kTcpFlagsOffset];
  Reseal(merged, 0);
  return merged;
}

}  // namespace tcpip::sim
