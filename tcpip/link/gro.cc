#include "tcpip/link/gro.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "tcpip/base/bytes.h"
#include "tcpip/base/checksum.h"
#include "tcpip/buffer/view.h"
#include "tcpip/buffer/view_chain.h"
#include "tcpip/wire/ipv4.h"
#include "tcpip/wire/ipv6.h"
#include "tcpip/wire/tcp.h"

namespace tcpip {
namespace {

// Flows that may be interleaved; more means shorter runs, nothing else.
constexpr size_t kMaxRuns = 8;

enum class Kind : uint8_t {
  kOther,   // certainly no TCP
  kOpaque,  // may be of any flow, so that nothing may overtake it
  kTcp,     // a flow is known
};

Kind KindOf(ByteSpan front) {
  const int version = front.empty() ? 0 : front[0] >> 4;
  if (version == 4 && front.size() >= wire::kIpv4HeaderSize) {
    constexpr uint16_t kFragment =
        wire::kIpv4MoreFragments | wire::kIpv4FragmentMask;
    const bool fragment =
        (LoadBe16(&front[wire::kIpv4FragmentOffset]) & kFragment) != 0;
    if (fragment) return Kind::kOpaque;
    if (front[wire::kIpv4ProtocolOffset] != wire::kTcp) return Kind::kOther;
    const bool options = (front[0] & 0xf) != wire::kIpv4HeaderSize / 4;
    const uint32_t least = wire::kIpv4HeaderSize + wire::kTcpHeaderSize;
    return options || front.size() < least ? Kind::kOpaque : Kind::kTcp;
  }
  if (version == 6 && front.size() >= wire::kIpv6HeaderSize) {
    const uint8_t next_header = front[wire::kIpv6NextHeaderOffset];
    if (next_header == wire::kUdp || next_header == wire::kIcmpv6) {
      return Kind::kOther;
    }
    const uint32_t least = wire::kIpv6HeaderSize + wire::kTcpHeaderSize;
    return next_header != wire::kTcp || front.size() < least ? Kind::kOpaque
                                                             : Kind::kTcp;
  }
  return Kind::kOpaque;
}

bool Same(const uint8_t* a, const uint8_t* b, size_t from, size_t to) {
  return std::memcmp(a + from, b + from, to - from) == 0;
}

// Addresses and ports stand together in both families.
bool IsSameFlow(const TcpFrame& a, const TcpFrame& b) {
  if (a.IsIpv4() != b.IsIpv4()) return false;
  return a.IsIpv4() ? Same(a.ip(), b.ip(), wire::kIpv4SourceOffset,
                           wire::kIpv4HeaderSize + wire::kTcpPortsEnd)
                    : Same(a.ip(), b.ip(), wire::kIpv6SourceOffset,
                           wire::kIpv6HeaderSize + wire::kTcpPortsEnd);
}

// Zero has a second spelling that a cut would not restore. [RFC 1624 3]
bool IsCanonical(const uint8_t* checksum) {
  return LoadBe16(checksum) != 0xffff;
}

bool IsIpIntact(const TcpFrame& frame, size_t size) {
  const uint8_t* const ip = frame.ip();
  if (!frame.IsIpv4()) {
    return LoadBe16(ip + wire::kIpv6LengthOffset) + wire::kIpv6HeaderSize ==
           size;
  }
  return LoadBe16(ip + wire::kIpv4LengthOffset) == size &&
         IsCanonical(ip + wire::kIpv4ChecksumOffset) &&
         SumBytes({ip, wire::kIpv4HeaderSize}).IsValid();
}

// May be part of a super-segment as far as headers say: a single, whole packet
// with payload and no flag that has to be heard at its own time. What carries
// no payload is never held. [fault C11]
bool IsMergeable(const Packet& packet, const TcpFrame& frame) {
  const Offload& offload = packet.offload();
  const bool plain_flags =
      frame.flags().Without(wire::TcpFlags::kPsh) == wire::TcpFlags::kAck;
  if (!plain_flags || offload.gso_type != GsoType::kNone) return false;
  if (frame.tcp_header_size() < wire::kTcpHeaderSize ||
      frame.header_size() > packet.head().size() ||
      frame.header_size() >= packet.size() ||
      !IsIpIntact(frame, packet.size())) {
    return false;
  }
  switch (offload.checksum) {
    case ChecksumState::kUnverified:
      return IsCanonical(frame.tcp() + wire::kTcpChecksumOffset);
    case ChecksumState::kVerified:
      return true;
    case ChecksumState::kPartial:
      return offload.checksum_start == frame.ip_header_size() &&
             offload.checksum_offset == wire::kTcpChecksumOffset;
  }
  return false;
}

// Is `next` the segment that a cut would make after the `segments` before it?
bool HasTheSameHeader(const TcpFrame& first, const TcpFrame& next,
                      uint16_t segments) {
  if (first.IsIpv4()) {
    // [RFC 6864 4.1] IDs that count or are all zero, as the cut will have them
    const uint16_t id = first.HasConstantId()
                            ? uint16_t{0}
                            : static_cast<uint16_t>(first.id() + segments);
    // Type of service with ECN [RFC 3168 5.3]; DF, TTL.
    if (next.id() != id ||
        !Same(first.ip(), next.ip(), 0, wire::kIpv4LengthOffset) ||
        !Same(first.ip(), next.ip(), wire::kIpv4FragmentOffset,
              wire::kIpv4ChecksumOffset)) {
      return false;
    }
  } else if (
      // Class and flow label; hop limit.
      !Same(first.ip(), next.ip(), 0, wire::kIpv6LengthOffset) ||
      !Same(first.ip(), next.ip(), wire::kIpv6HopLimitOffset,
            wire::kIpv6SourceOffset)) {
    return false;
  }
  // SEG.ACK and data offset, window, urgent pointer and options.
  return Same(first.tcp(), next.tcp(), wire::kTcpAckOffset,
              wire::kTcpFlagsOffset) &&
         Same(first.tcp(), next.tcp(), wire::kTcpWindowOffset,
              wire::kTcpChecksumOffset) &&
         Same(first.tcp(), next.tcp(), wire::kTcpUrgentOffset,
              first.tcp_header_size());
}

uint32_t PayloadBytes(const Packet& packet, const TcpFrame& frame) {
  return static_cast<uint32_t>(packet.size() - frame.header_size());
}

// Calls `on_bytes(bytes, offset)` for each stretch of payload.
template <typename OnBytes>
void ForPayload(const Packet& packet, const TcpFrame& frame, OnBytes on_bytes) {
  const ByteSpan in_head = packet.head().subspan(frame.header_size());
  on_bytes(in_head, 0);
  auto offset = static_cast<uint32_t>(in_head.size());
  for (size_t i = 0; i < packet.body().view_count(); ++i) {
    const View& view = packet.body().view(i);
    on_bytes(view.span(), offset);
    offset += view.size();
  }
}

bool IsChecksumGood(const Packet& packet, const TcpFrame& frame,
                    PartialSum payload) {
  // Else the link vouches for it.
  if (packet.offload().checksum != ChecksumState::kUnverified) return true;
  const uint32_t header_size = frame.tcp_header_size();
  return frame.PseudoHeader(header_size + PayloadBytes(packet, frame))
      .Combine(SumBytes({frame.tcp(), header_size}), 0)
      .Combine(payload, 0)
      .IsValid();
}

}  // namespace

Gro::Gro() { runs_.reserve(kMaxRuns); }

void Gro::Merge(PacketBatch& batch, size_t first) {
  size_t end = first;
  for (size_t i = first; i < batch.size(); ++i) {
    const Kind kind = KindOf(batch[i].head());
    if (kind == Kind::kOpaque) CloseAll(batch);
    std::optional<TcpFrame> mergeable;
    if (kind == Kind::kTcp) {
      const TcpFrame frame(batch[i].head().data());
      if (IsMergeable(batch[i], frame)) mergeable = frame;
      if (Continue(batch, batch[i], frame, mergeable.has_value())) continue;
    }
    if (end != i) batch[end] = std::move(batch[i]);
    if (mergeable) Open(batch, end, *mergeable);
    ++end;
  }
  CloseAll(batch);
  batch.resize(end);
}

bool Gro::Continue(PacketBatch& batch, const Packet& packet,
                   const TcpFrame& frame, bool mergeable) {
  const auto run = std::find_if(
      runs_.begin(), runs_.end(),
      [&](const Run& run) { return IsSameFlow(run.frame, frame); });
  if (run == runs_.end()) return false;
  const bool taken = mergeable && Append(*run, packet, frame);
  // What a cut puts on the last piece only can be the last only.
  const bool last = frame.flags().psh() || run->rest_bytes % run->gso_size != 0;
  if (taken && frame.flags().psh()) {
    batch[run->at]
        .mutable_head()[run->frame.ip_header_size() + wire::kTcpFlagsOffset] |=
        wire::TcpFlags::kPsh;
  }
  if (!taken || last) Close(batch, static_cast<size_t>(run - runs_.begin()));
  return taken;
}

bool Gro::Append(Run& run, const Packet& packet, const TcpFrame& frame) {
  const uint32_t n = PayloadBytes(packet, frame);
  if (frame.seq() != run.next_seq || n > run.gso_size ||
      run.size + n > wire::kMaxIpv4Packet ||
      !HasTheSameHeader(run.frame, frame, run.segments)) {
    return false;
  }
  if (!run.rest) {
    run.rest = packet.head_view().pool().Allocate(SlabClass::kLarge);
  }
  uint8_t* const to = run.rest.bytes() + run.rest_bytes;
  PartialSum sum;
  ForPayload(packet, frame, [&](ByteSpan bytes, uint32_t offset) {
    sum.Combine(CopyAndSum(bytes, to + offset), offset);
  });
  if (!IsChecksumGood(packet, frame, sum)) return false;
  run.rest_bytes += n;
  run.size += n;
  run.next_seq += n;
  ++run.segments;
  return true;
}

void Gro::Open(PacketBatch& batch, size_t at, const TcpFrame& frame) {
  Packet& packet = batch[at];
  PartialSum sum;
  if (packet.offload().checksum == ChecksumState::kUnverified) {
    ForPayload(packet, frame, [&](ByteSpan bytes, uint32_t offset) {
      sum.Combine(SumBytes(bytes), offset);
    });
    if (!IsChecksumGood(packet, frame, sum)) return;
    packet.offload().checksum = ChecksumState::kVerified;
  }
  if (frame.flags().psh() || !packet.head_view().IsSoleOwner()) return;
  if (runs_.size() == kMaxRuns) Close(batch, 0);
  const uint32_t n = PayloadBytes(packet, frame);
  runs_.push_back({.at = at,
                   .frame = frame,
                   .next_seq = frame.seq() + n,
                   .gso_size = n,
                   .size = static_cast<uint32_t>(packet.size())});
}

void Gro::Close(PacketBatch& batch, size_t index) {
  Run run = std::move(runs_[index]);
  runs_.erase(runs_.begin() + static_cast<ptrdiff_t>(index));
  if (run.segments == 1) return;
  Packet& packet = batch[run.at];
  SlabPool& pool = packet.head_view().pool();

  View rest(std::move(run.rest), 0, run.rest_bytes);
  if (run.rest_bytes <= SlabCapacity(SlabClass::kMedium)) {
    rest = View::Copy(pool, rest.span());  // few bytes never pin 64 KiB
  }
  ViewChain body = packet.body().Share();
  body.Append(std::move(rest));
  packet.SetBody(std::move(body));

  const MutableByteSpan head = packet.mutable_head();
  SealIp(head.data(), run.size);
  const uint32_t tcp = run.frame.ip_header_size();
  StoreBe16(&head[tcp + wire::kTcpChecksumOffset],
            run.frame.PseudoHeader(run.size - tcp).value());
  packet.offload() = {
      .gso_type = run.frame.IsIpv4() ? GsoType::kTcp4 : GsoType::kTcp6,
      .gso_size = static_cast<uint16_t>(run.gso_size),
      .checksum = ChecksumState::kPartial,
      .checksum_start = static_cast<uint16_t>(tcp),
      .checksum_offset = wire::kTcpChecksumOffset};
}

void Gro::CloseAll(PacketBatch& batch) {
  while (!runs_.empty()) Close(batch, runs_.size() - 1);
}

}  // namespace tcpip
