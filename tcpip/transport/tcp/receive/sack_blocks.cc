#include "tcpip/transport/tcp/receive/sack_blocks.h"

#include <algorithm>

namespace tcpip::tcp {
namespace {

void AddBlock(SeqRange range, wire::TcpOptions& options) {
  if (options.sack_block_count == wire::kMaxSackBlocks) return;
  options.sack_blocks[options.sack_block_count++] = {range.begin.value(),
                                                     range.end.value()};
}

}  // namespace

void SackBlocks::OnOutOfOrder(SeqRange range) {
  if (!enabled_ || range.empty()) return;
  Remove([range](SeqRange old) {
    return range.begin <= old.begin && old.end <= range.end;
  });
  auto& recent = memory().recent;
  // [RFC 2018 4 MUST] the first block holds the segment that triggered the ACK
  count_ = std::min<uint8_t>(count_ + 1, wire::kMaxSackBlocks);
  std::shift_right(recent.begin(), recent.begin() + count_, 1);
  recent.front() = range;
}

void SackBlocks::OnDuplicate(SeqRange range) {
  if (!enabled_ || range.empty()) return;
  if (!memory().duplicate) memory_->duplicate = range;
}

void SackBlocks::OnAdvance(SeqNum rcv_nxt) {
  Remove([rcv_nxt](SeqRange old) { return old.begin < rcv_nxt; });
}

void SackBlocks::Report(wire::TcpOptions& options) {
  if (!memory_) return;
  // [RFC 2883 4] a duplicate is reported first, and in one ACK only
  if (memory_->duplicate) AddBlock(*memory_->duplicate, options);
  memory_->duplicate.reset();
  for (int i = 0; i < count_; ++i) AddBlock(memory_->recent[i], options);
}

SackBlocks::Memory& SackBlocks::memory() {
  if (!memory_) memory_ = std::make_unique<Memory>();
  return *memory_;
}

template <typename Predicate>
void SackBlocks::Remove(Predicate is_obsolete) {
  if (count_ == 0) return;
  const auto begin = memory_->recent.begin();
  count_ = static_cast<uint8_t>(
      std::remove_if(begin, begin + count_, is_obsolete) - begin);
}

}  // namespace tcpip::tcp
