#include "tcpip/transport/tcp/receive/reassembly.h"

#include <algorithm>
#include <utility>

#include "tcpip/transport/tcp/receive/compaction.h"

namespace tcpip::tcp {
namespace {

constexpr uint32_t kInitialCapacity = 8;

constexpr uint32_t PageNumber(SeqNum seq) { return seq.value() / Page::kSize; }
constexpr uint32_t PageOffset(SeqNum seq) { return seq.value() % Page::kSize; }

}  // namespace

uint32_t Reassembly::Insert(SeqNum seq, const ViewChain& payload,
                            SlabPool& pool) {
  uint32_t inserted = 0;
  for (size_t i = 0; i < payload.view_count(); ++i) {
    const View& view = payload.view(i);
    inserted += InsertBytes(seq, view.span(), pool);
    seq += view.size();
  }
  held_bytes_ += inserted;
  return inserted;
}

uint32_t Reassembly::InsertBytes(SeqNum seq, ByteSpan bytes, SlabPool& pool) {
  uint32_t inserted = 0;
  while (!bytes.empty()) {
    const uint32_t offset = PageOffset(seq);
    const ByteSpan here =
        bytes.first(std::min<size_t>(bytes.size(), Page::kSize - offset));
    inserted += FindOrAdd(seq, pool).Write(offset, here);
    seq += static_cast<uint32_t>(here.size());
    bytes = bytes.subspan(here.size());
  }
  return inserted;
}

bool Reassembly::InsertFin(SeqNum seq) {
  if (fin_ || RunEnd(seq) != seq) return false;
  fin_ = seq;
  return true;
}

uint32_t Reassembly::TakeRun(SeqNum seq, ViewChain& to, SlabPool& pool) {
  uint32_t taken = 0;
  for (Page* page = Find(seq); page != nullptr; page = Find(seq)) {
    const uint32_t begin = PageOffset(seq);
    const uint32_t end = page->RunEnd(begin);
    if (end == begin) break;
    AppendCompacted(page->Take(begin, end), to, pool);
    if (page->held_bytes() == 0) Release(*page);
    taken += end - begin;
    seq += end - begin;
  }
  held_bytes_ -= taken;
  if (known_run_.begin < seq) known_run_ = {};
  return taken;
}

SeqNum Reassembly::RunEnd(SeqNum seq) const {
  const SeqNum end = HeldEnd(seq);
  return fin_ == end ? end + 1 : end;
}

SeqRange Reassembly::RangeAround(SeqNum seq) {
  const SeqNum end = RunEnd(seq);
  if (end == seq) return {seq, seq};
  known_run_ = {HeldBegin(seq), HeldEnd(seq)};
  return {known_run_.begin, end};
}

// The end of the bytes held from `seq` on, without the FIN.
SeqNum Reassembly::HeldEnd(SeqNum seq) const {
  if (known_run_.Contains(seq)) seq = known_run_.end;
  for (const Page* page = Find(seq); page != nullptr; page = Find(seq)) {
    const uint32_t begin = PageOffset(seq);
    const uint32_t end = page->RunEnd(begin);
    seq += end - begin;
    if (end < Page::kSize) break;
  }
  return seq;
}

// The first from which on everything before `seq` is held.
SeqNum Reassembly::HeldBegin(SeqNum seq) const {
  if (known_run_.Contains(seq - 1)) seq = known_run_.begin;
  for (const Page* page = Find(seq - 1); page != nullptr;
       page = Find(seq - 1)) {
    const uint32_t end = PageOffset(seq - 1) + 1;
    const uint32_t begin = page->RunBegin(end);
    seq = seq - (end - begin);
    if (begin > 0) break;
  }
  return seq;
}

void Reassembly::Clear() {
  pages_.reset();
  capacity_ = page_count_ = held_bytes_ = 0;
  known_run_ = {};
}

Page* Reassembly::Find(SeqNum seq) const {
  if (capacity_ == 0) return nullptr;
  Page& page = pages_[PageNumber(seq) % capacity_];
  return page.exists() && page.number() == PageNumber(seq) ? &page : nullptr;
}

Page& Reassembly::FindOrAdd(SeqNum seq, SlabPool& pool) {
  const uint32_t number = PageNumber(seq);
  if (capacity_ == 0) Grow();
  while (true) {
    Page& page = pages_[number % capacity_];
    if (!page.exists()) {
      page = Page(pool, number);
      ++page_count_;
    }
    if (page.number() == number) return page;
    Grow();
  }
}

void Reassembly::Release(Page& page) {
  page = Page();
  --page_count_;
}

void Reassembly::Grow() {
  const uint32_t capacity = capacity_ == 0 ? kInitialCapacity : capacity_ * 2;
  auto pages = std::make_unique<Page[]>(capacity);
  for (uint32_t i = 0; i < capacity_; ++i) {
    if (!pages_[i].exists()) continue;
    pages[pages_[i].number() % capacity] = std::move(pages_[i]);
  }
  pages_ = std::move(pages);
  capacity_ = capacity;
}

}  // namespace tcpip::tcp
