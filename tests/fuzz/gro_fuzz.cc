// Merging and cutting on any packets: what gro merges, gso takes apart into the
// same bytes, and nothing that may be of a flow overtakes its packets.
// [fault L07]
//
// Input: for each packet a byte that says how it is handed in, two bytes of
// length, and bytes that repeat the packet before from where they end.

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <vector>

#include "tcpip/base/bytes.h"
#include "tcpip/base/checksum.h"
#include "tcpip/buffer/packet.h"
#include "tcpip/buffer/slab.h"
#include "tcpip/buffer/view.h"
#include "tcpip/buffer/view_chain.h"
#include "tcpip/link/gro.h"
#include "tcpip/link/gso.h"
#include "tests/fuzz/input.h"

namespace tcpip {
namespace {

using fuzz::Check;
using Bytes = std::vector<uint8_t>;

bool IsIpv4(const Bytes& packet) {
  return packet.size() >= 40 && packet[0] == 0x45 && packet[9] == 6;
}
bool IsIpv6(const Bytes& packet) {
  return packet.size() >= 60 && packet[0] >> 4 == 6 && packet[6] == 6;
}

// Puts right what mutation rarely leaves so; false when it is no TCP packet.
bool Repair(Bytes& packet) {
  if (!IsIpv4(packet) && !IsIpv6(packet)) return false;
  const bool v4 = IsIpv4(packet);
  const uint32_t tcp = v4 ? 20 : 40;
  const auto size = static_cast<uint16_t>(packet.size());
  if (v4) {
    StoreBe16(&packet[2], size);
    StoreBe16(&packet[10], 0);
    StoreBe16(&packet[10], SumBytes({packet.data(), 20}).Checksum());
  } else {
    StoreBe16(&packet[4], static_cast<uint16_t>(size - tcp));
  }
  StoreBe16(&packet[tcp + 16], 0);
  PartialSum sum =
      SumBytes(v4 ? ByteSpan(&packet[12], 8) : ByteSpan(&packet[8], 32));
  sum.AddWord(6).AddWord(static_cast<uint16_t>(size - tcp));
  sum.Combine(SumBytes(ByteSpan(packet).subspan(tcp)), 0);
  StoreBe16(&packet[tcp + 16], sum.Checksum());
  return true;
}

// What its flow is known by; empty when none is.
Bytes FlowOf(const Bytes& packet) {
  if (IsIpv4(packet) && (LoadBe16(&packet[6]) & 0x3fff) == 0) {
    return Bytes(packet.begin() + 12, packet.begin() + 24);
  }
  if (IsIpv6(packet)) return Bytes(packet.begin() + 8, packet.begin() + 44);
  return {};
}

std::vector<Bytes> OfFlow(const std::vector<Bytes>& packets,
                          const Bytes& flow) {
  std::vector<Bytes> result;
  std::copy_if(packets.begin(), packets.end(), std::back_inserter(result),
               [&](const Bytes& packet) { return FlowOf(packet) == flow; });
  return result;
}

Bytes Flatten(const Packet& packet) {
  Bytes bytes(packet.head().begin(), packet.head().end());
  const size_t head = bytes.size();
  bytes.resize(packet.size());
  packet.body().CopyTo(MutableByteSpan(bytes).subspan(head));
  return bytes;
}

// Head and body apart at `split`, as no link would, but might.
Packet MakePacket(SlabPool& pool, const Bytes& bytes, size_t split) {
  Packet packet =
      Packet::Copy(pool, ByteSpan(bytes).first(std::min(split, bytes.size())));
  if (split < bytes.size()) {
    packet.SetBody(ViewChain(View::Copy(pool, ByteSpan(bytes).subspan(split))));
  }
  return packet;
}

void Run(ByteSpan input) {
  constexpr size_t kMaxPackets = 48;
  constexpr size_t kMaxPacketBytes = 4096;
  SlabPool pool(0);
  Gro gro;
  PacketBatch batch;
  std::vector<Bytes> before;
  Bytes bytes;
  while (input.size() >= 4 && before.size() < kMaxPackets) {
    const uint8_t how = input[0];
    const size_t size = LoadBe16(&input[1]) % kMaxPacketBytes;
    const size_t given = std::min<size_t>(input[3], size);
    input = input.subspan(4);
    bytes.resize(size);
    const size_t n = std::min(given, input.size());
    std::copy_n(input.begin(), n, bytes.begin());
    input = input.subspan(n);
    if (how % 2 == 0) Repair(bytes);
    before.push_back(bytes);
    batch.push_back(MakePacket(pool, bytes, how % 8 < 6 ? 1900 : how / 4));
    // The next of the flow, if nothing is said to the contrary.
    if (IsIpv4(bytes)) {
      const uint32_t header = 20 + (bytes[32] >> 4) * 4u;
      StoreBe16(&bytes[4], static_cast<uint16_t>(LoadBe16(&bytes[4]) + 1));
      StoreBe32(&bytes[24],
                LoadBe32(&bytes[24]) + static_cast<uint32_t>(size) - header);
    } else if (IsIpv6(bytes)) {
      const uint32_t header = 40 + (bytes[52] >> 4) * 4u;
      StoreBe32(&bytes[44],
                LoadBe32(&bytes[44]) + static_cast<uint32_t>(size) - header);
    }
  }
  gro.Merge(batch, 0);

  std::vector<Bytes> after;
  PacketBatch pieces;
  for (const Packet& packet : batch) {
    if (packet.offload().gso_type == GsoType::kNone) {
      after.push_back(Flatten(packet));
      continue;
    }
    pieces.clear();
    SplitGso(packet, pieces);
    for (const Packet& piece : pieces) after.push_back(Flatten(piece));
  }
  Check(after.size() == before.size(), "as many packets");
  std::vector<Bytes> flows;
  for (const Bytes& packet : before) flows.push_back(FlowOf(packet));
  std::sort(flows.begin(), flows.end());
  flows.erase(std::unique(flows.begin(), flows.end()), flows.end());
  for (const Bytes& flow : flows) {
    Check(OfFlow(after, flow) == OfFlow(before, flow), "the same packets");
  }
}

}  // namespace
}  // namespace tcpip

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tcpip::Run({data, size});
  return 0;
}
