#include "tcpip/network/fragmentation.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "tcpip/base/bytes.h"
#include "tcpip/base/checksum.h"
#include "tcpip/buffer/view_chain.h"
#include "tcpip/wire/ipv4.h"
#include "tcpip/wire/ipv6.h"

namespace tcpip::ip {
namespace {

constexpr uint32_t kMaxInHead =
    SlabCapacity(SlabClass::kSmall) - kPacketHeadroom;

struct Part {
  uint16_t offset;
  bool more;
};

void PrependHeader(wire::Ipv4Header header, uint32_t id, Part part,
                   Packet& packet) {
  header.total_length =
      static_cast<uint16_t>(packet.size() + wire::kIpv4HeaderSize);
  // [RFC 6864 4.1] not atomic: the ID means something, and DF would not be true
  header.identification = static_cast<uint16_t>(id);
  header.dont_fragment = false;
  header.more_fragments = part.more;
  header.fragment_offset = part.offset;
  wire::EmitIpv4(header, packet.Prepend(wire::kIpv4HeaderSize));
}

void PrependHeader(wire::Ipv6Header header, uint32_t id, Part part,
                   Packet& packet) {
  wire::EmitIpv6Fragment(header.next_header,
                         {.offset = part.offset,
                          .more_fragments = part.more,
                          .identification = id},
                         packet.Prepend(wire::kIpv6FragmentHeaderSize));
  header.next_header = wire::kIpv6FragmentHeader;
  header.payload_length = static_cast<uint16_t>(packet.size());
  wire::EmitIpv6(header, packet.Prepend(wire::kIpv6HeaderSize));
}

// Takes the IP header off; what is left has a checksum of its own.
void TrimToTransport(Packet& packet, uint32_t header_size) {
  packet.TrimFront(header_size);
  const Offload& offload = packet.offload();
  if (offload.checksum != ChecksumState::kPartial) return;
  assert(offload.checksum_start == header_size);
  StoreBe16(&packet.mutable_head()[offload.checksum_offset],
            NonZeroChecksum(SumOf(packet).Checksum()));
}

// Cuts a packet without its header in fragments of at most `room` bytes.
template <typename Header>
void Cut(SlabPool& pool, Packet packet, const Header& header, uint32_t room,
         uint32_t id, PacketBatch& to) {
  // [RFC 791 3.2] [RFC 8200 4.5] for all but the last [fault I09]
  room -= room % 8;
  // Headers stay contiguous: the first fragment has them in its head.
  size_t in_head = std::min<size_t>({packet.head().size(), room, kMaxInHead});
  ViewChain data = packet.TakePayload();
  for (uint32_t offset = 0; !data.empty(); in_head = 0) {
    ViewChain part = data.SplitFront(std::min<size_t>(data.size(), room));
    const auto size = static_cast<uint32_t>(part.size());
    Packet fragment = Packet::WithHeadroom(pool);
    part.CopyTo(fragment.AppendToHead(static_cast<uint32_t>(in_head)));
    part.TrimFront(in_head);
    fragment.SetBody(std::move(part));
    PrependHeader(
        header, id,
        {.offset = static_cast<uint16_t>(offset), .more = !data.empty()},
        fragment);
    to.push_back(std::move(fragment));
    offset += size;
  }
}

}  // namespace

void FragmentPacket(SlabPool& pool, Packet packet, uint32_t mtu, uint32_t id,
                    PacketBatch& to) {
  assert(packet.offload().gso_type == GsoType::kNone);
  if (packet.head()[0] >> 4 == 4) {
    const wire::Ipv4Header header =
        wire::ParseIpv4(packet.head(), packet.size()).header;
    TrimToTransport(packet, wire::kIpv4HeaderSize);
    Cut(pool, std::move(packet), header,
        std::max(mtu, wire::kIpv4MinMtu) - wire::kIpv4HeaderSize, id, to);
  } else {
    const wire::Ipv6Header header =
        wire::ParseIpv6(packet.head(), packet.size()).header;
    TrimToTransport(packet, wire::kIpv6HeaderSize);
    Cut(pool, std::move(packet), header,
        std::max(mtu, wire::kIpv6MinMtu) - wire::kIpv6HeaderSize -
            wire::kIpv6FragmentHeaderSize,
        id, to);
  }
}

}  // namespace tcpip::ip
