#include "tcpip/link/software_offload.h"

#include <cassert>
#include <utility>

#include "tcpip/link/gso.h"

namespace tcpip {
namespace {

bool MustBeCut(const Packet& packet, const LinkOffloads& inner) {
  return packet.offload().gso_type != GsoType::kNone &&
         !Finishes(inner, packet.offload());
}

}  // namespace

LinkCapabilities SoftwareOffload::capabilities() const {
  LinkCapabilities result = inner_.capabilities();
  result.tx = kAllOffloads;
  return result;
}

size_t SoftwareOffload::ReadBatch(SlabPool& pool, PacketBatch& to, size_t max,
                                  Instant now) {
  const size_t first = to.size();
  const size_t n = inner_.ReadBatch(pool, to, max, now);
  const LinkOffloads inner = inner_.capabilities().tx;
  // A link that cuts also delivers what the other side has not cut.
  if (!inner.tso4 || !inner.tso6) gro_.Merge(to, first);
  return n;
}

size_t SoftwareOffload::WriteBatch(std::span<Packet> packets) {
  assert(pieces_.empty() || packets.empty() ||
         packets[0].offload().gso_type != GsoType::kNone);
  LinkOffloads inner = inner_.capabilities().tx;
  size_t taken = 0;
  while (taken < packets.size()) {
    if (!pieces_.empty() || MustBeCut(packets[taken], inner)) {
      if (!WritePieces(packets[taken])) break;
      ++taken;
      continue;
    }
    size_t end = taken;
    for (; end < packets.size() && !MustBeCut(packets[end], inner); ++end) {
      if (!inner.checksum) CompleteChecksum(packets[end]);
    }
    const size_t whole = end - taken;
    const size_t n = inner_.WriteBatch(packets.subspan(taken, whole));
    taken += n;
    if (n == whole) continue;
    // Full; or [fault L01] it will not finish the next one, which we do then.
    const LinkOffloads before = std::exchange(inner, inner_.capabilities().tx);
    if (inner == before) break;
  }
  return taken;
}

bool SoftwareOffload::WritePieces(const Packet& packet) {
  if (pieces_.empty()) SplitGso(packet, pieces_);
  pieces_written_ +=
      inner_.WriteBatch(std::span(pieces_).subspan(pieces_written_));
  if (pieces_written_ < pieces_.size()) return false;
  pieces_.clear();
  pieces_written_ = 0;
  return true;
}

}  // namespace tcpip
