#include "emulator/forwarder.h"

#include <algorithm>
#include <utility>

#include "emulator/packet_facts.h"
#include "tcpip/base/bytes.h"
#include "tcpip/buffer/view.h"
#include "tcpip/link/gso.h"
#include "tcpip/wire/tcp.h"

namespace emulator {
namespace {

using tcpip::ByteSpan;
using tcpip::ChecksumState;
using tcpip::GsoType;
using tcpip::Instant;
using tcpip::Offload;
using tcpip::Packet;
using tcpip::PacketBatch;

// Does the packet have in its head all that cutting it, or completing its
// checksum, looks at? The kernel's own packets do; those that a program has
// injected with offload facts need not.
bool IsSound(const Packet& packet) {
  const Offload& offload = packet.offload();
  const ByteSpan head = packet.head();
  const bool is_super = offload.gso_type != GsoType::kNone;
  if (offload.checksum != ChecksumState::kPartial) return !is_super;
  const size_t start = offload.checksum_start;
  if (start + offload.checksum_offset + sizeof(uint16_t) > head.size()) {
    return false;
  }
  return !is_super ||
         (offload.checksum_offset == tcpip::wire::kTcpChecksumOffset &&
          tcpip::wire::ParseTcp(head.subspan(start)).has_value());
}

// Shares the payload, not the headers: they may be rewritten when segments are
// merged.
Packet Copy(const Packet& packet, tcpip::SlabPool& pool) {
  Packet copy;
  copy.SetHead(tcpip::View::Copy(pool, packet.head()));
  copy.SetBody(packet.body().Share());
  copy.offload() = packet.offload();
  return copy;
}

// May packets of these verdicts stay together? Copies may not: they arrive
// between the others.
bool IsSameFate(const PathVerdict& a, const PathVerdict& b) {
  return a.copies <= 1 && a.copies == b.copies && !a.corrupt_bit &&
         a.mark_ce == b.mark_ce && a.arrivals[0] == b.arrivals[0];
}

}  // namespace

Forwarder::Forwarder(const PathConfig& config, uint64_t seed,
                     tcpip::SlabPool& pool)
    : path_(config, seed), pool_(pool) {}

void Forwarder::Take(PacketBatch& packets, Instant now) {
  for (Packet& packet : packets) {
    if (!IsSound(packet)) {
      ++malformed_;
      continue;
    }
    if (packet.offload().gso_type != GsoType::kNone) {
      TakeSuperSegment(std::move(packet), now);
      continue;
    }
    tcpip::CompleteChecksum(packet);
    const OfferedPacket facts = FactsOf(packet.head(), packet.size());
    Apply(path_.Offer(facts, now), std::move(packet));
  }
  packets.clear();
}

void Forwarder::TakeSuperSegment(Packet packet, Instant now) {
  OfferPieces(packet, now);
  if (std::all_of(verdicts_.begin(), verdicts_.end(),
                  [this](const PathVerdict& verdict) {
                    return IsSameFate(verdict, verdicts_.front());
                  })) {
    Apply(verdicts_.front(), std::move(packet));
    return;
  }
  tcpip::SplitGso(packet, pieces_);
  for (size_t i = 0; i < pieces_.size(); ++i) {
    Apply(verdicts_[i], std::move(pieces_[i]));
  }
  pieces_.clear();
}

void Forwarder::OfferPieces(const Packet& packet, Instant now) {
  const size_t tcp = packet.offload().checksum_start;
  const size_t header_size =
      tcp + tcpip::wire::ParseTcp(packet.head().subspan(tcp))->size();
  const size_t payload = packet.size() - header_size;
  const size_t gso_size = packet.offload().gso_size;
  OfferedPacket piece = FactsOf(packet.head(), packet.size());
  verdicts_.clear();
  size_t at = 0;
  do {
    piece.bytes =
        static_cast<uint32_t>(header_size + std::min(gso_size, payload - at));
    verdicts_.push_back(path_.Offer(piece, now));
    at += gso_size;
  } while (at < payload);
}

void Forwarder::Apply(const PathVerdict& verdict, Packet packet) {
  if (verdict.copies == 0) return;
  if (verdict.mark_ce) MarkCe(packet.mutable_head());
  if (verdict.corrupt_bit) packet = Corrupted(packet, *verdict.corrupt_bit);
  if (verdict.copies == 2) Keep(Copy(packet, pool_), verdict.arrivals[1]);
  Keep(std::move(packet), verdict.arrivals[0]);
}

Packet Forwarder::Corrupted(const Packet& packet, uint32_t bit) {
  scratch_.assign(packet.head().begin(), packet.head().end());
  scratch_.resize(packet.size());
  packet.body().CopyTo(
      tcpip::MutableByteSpan(scratch_).subspan(packet.head().size()));
  FlipBit(scratch_, bit);
  return Packet::Copy(pool_, scratch_);
}

void Forwarder::Keep(Packet packet, Instant arrival) {
  uint32_t slot;
  if (free_slots_.empty()) {
    slot = static_cast<uint32_t>(slots_.size());
    slots_.push_back(std::move(packet));
  } else {
    slot = free_slots_.back();
    free_slots_.pop_back();
    slots_[slot] = std::move(packet);
  }
  order_.push_back({arrival, kept_++, slot});
  std::push_heap(order_.begin(), order_.end(), IsLater);
}

void Forwarder::Due(Instant now, PacketBatch& to) {
  while (NextDeadline() <= now) {
    std::pop_heap(order_.begin(), order_.end(), IsLater);
    const uint32_t slot = order_.back().slot;
    order_.pop_back();
    to.push_back(std::move(slots_[slot]));
    free_slots_.push_back(slot);
  }
}

}  // namespace emulator
