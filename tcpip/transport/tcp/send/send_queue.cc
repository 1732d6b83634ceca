#include "tcpip/transport/tcp/send/send_queue.h"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "tcpip/base/bytes.h"
#include "tcpip/buffer/slab.h"
#include "tcpip/buffer/view.h"
#include "tcpip/buffer/view_chain.h"

namespace tcpip::tcp {
namespace {

// A view is shared when its block is at least this part in use; otherwise the
// bytes are cheaper to copy than the rest of the block is to keep.
constexpr uint32_t kWorthSharing = 4;

// The largest class that `bytes` fill, so that little is pinned unused; the
// smallest that holds them when they fill none.
SlabClass BlockFor(size_t bytes) {
  for (SlabClass c : {SlabClass::kLarge, SlabClass::kMedium}) {
    if (bytes >= SlabCapacity(c)) return c;
  }
  return SlabPool::ClassFor(bytes);
}

}  // namespace

size_t SendQueue::Admit(size_t wanted, const SlabPool& pool) {
  const size_t limit = std::min(capacity_, pool.QueueShare());
  const size_t admitted = std::min(wanted, limit - std::min(limit, size()));
  if (size() + admitted < limit) return admitted;
  const auto full = static_cast<uint32_t>(size() + admitted);
  wake_at_ = full - (full + 2) / 3;
  return admitted;
}

size_t SendQueue::Write(ViewChain& data, SlabPool& pool) {
  const size_t n = Admit(data.size(), pool);
  Append(data.SplitFront(n), pool);
  return n;
}

void SendQueue::Append(ViewChain data, SlabPool& pool) {
  for (size_t i = 0; i < data.view_count(); ++i) {
    View& view = data.mutable_view(i);
    if (view.size() >= view.pinned_bytes() / kWorthSharing) {
      chain_.Append(std::move(view));
    } else {
      AppendCopy(view.span(), pool);
    }
  }
}

size_t SendQueue::WriteCopy(ByteSpan data, SlabPool& pool) {
  data = data.first(Admit(data.size(), pool));
  AppendCopy(data, pool);
  return data.size();
}

void SendQueue::AppendCopy(ByteSpan data, SlabPool& pool) {
  if (!chain_.empty()) {
    const View& last = chain_.view(chain_.view_count() - 1);
    if (last.IsSoleOwner()) {
      const size_t part = std::min<size_t>(last.tailroom(), data.size());
      chain_.AppendCopy(pool, data.first(part));
      data = data.subspan(part);
    }
  }
  while (!data.empty()) {
    // Small writes that pile up get the blocks of a large one.
    const SlabClass c = BlockFor(std::max(data.size(), unsent_bytes()));
    const size_t part = std::min<size_t>(data.size(), SlabCapacity(c));
    View block(pool.Allocate(c), 0, static_cast<uint32_t>(part));
    std::copy_n(data.data(), part, block.mutable_span().data());
    chain_.Append(std::move(block));
    data = data.subspan(part);
  }
}

ViewChain SendQueue::TakeUnsent(uint32_t n) {
  assert(n <= unsent_bytes());
  ViewChain slice = SliceFrom(next_unsent_, sent_bytes_, n);
  sent_bytes_ += n;
  return slice;
}

ViewChain SendQueue::SliceSent(uint32_t offset, uint32_t n) {
  assert(size_t{offset} + n <= sent_bytes_);
  if (offset < next_again_.begin) next_again_ = Cursor();
  return SliceFrom(next_again_, offset, n);
}

ViewChain SendQueue::SliceFrom(Cursor& cursor, size_t offset, size_t n) const {
  ViewChain slice;
  while (n > 0) {
    const View& view = chain_.view(cursor.view);
    const size_t skip = offset - cursor.begin;
    if (skip < view.size()) {
      const size_t part = std::min(view.size() - skip, n);
      slice.Append(
          view.Slice(static_cast<uint32_t>(skip), static_cast<uint32_t>(part)));
      offset += part;
      n -= part;
      if (n == 0) break;
    }
    // Stays on the last view used, which later writes may still lengthen.
    cursor.begin += view.size();
    ++cursor.view;
  }
  return slice;
}

void SendQueue::TrimAcked(uint32_t n) {
  assert(n <= sent_bytes_);
  const size_t views_before = chain_.view_count();
  chain_.TrimFront(n);
  sent_bytes_ -= n;
  const auto views = static_cast<uint32_t>(views_before - chain_.view_count());
  for (Cursor* cursor : {&next_unsent_, &next_again_}) {
    // A cursor whose view is gone, or is the front one now, starts over.
    *cursor = cursor->view <= views
                  ? Cursor()
                  : Cursor{cursor->view - views, cursor->begin - n};
  }
  // What a burst made the chain's own storage grow to goes with its last byte.
  if (chain_.empty()) ViewChain(std::move(chain_)).Clear();
  if (size() <= wake_at_) wake_at_ = kNobodyWaits;
}

}  // namespace tcpip::tcp
