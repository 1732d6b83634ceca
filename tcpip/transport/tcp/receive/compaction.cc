#include "tcpip/transport/tcp/receive/compaction.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace tcpip::tcp {

void AppendCompacted(View from, ViewChain& to, SlabPool& pool) {
  if (uint64_t{from.size()} * 2 >= from.pinned_bytes()) {
    to.Append(std::move(from));
    return;
  }
  // In pieces, so that no copy takes a large block and leaves most of it empty.
  constexpr size_t kPiece = SlabCapacity(SlabClass::kMedium);
  for (ByteSpan rest = from.span(); !rest.empty();) {
    const ByteSpan piece = rest.first(std::min(kPiece, rest.size()));
    to.AppendCopy(pool, piece);
    rest = rest.subspan(piece.size());
  }
}

void AppendCompacted(ViewChain from, ViewChain& to, SlabPool& pool) {
  for (size_t i = 0; i < from.view_count(); ++i) {
    AppendCompacted(std::move(from.mutable_view(i)), to, pool);
  }
}

}  // namespace tcpip::tcp
