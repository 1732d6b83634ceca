// Which SACK blocks to report: the ranges that changed last, newest first
// (RFC 2018 4), and before them, once, what arrived twice (RFC 2883).
//
// Owned by Receiver. Every block is a whole range of Reassembly at any time:
// a range only grows by a segment, and that segment reports it anew. Owns no
// memory while nothing was ever out of order or came twice.
#ifndef TCPIP_TRANSPORT_TCP_RECEIVE_SACK_BLOCKS_H_
#define TCPIP_TRANSPORT_TCP_RECEIVE_SACK_BLOCKS_H_

#include <array>
#include <cstdint>
#include <memory>
#include <optional>

#include "tcpip/transport/tcp/seq.h"
#include "tcpip/wire/tcp_options.h"

namespace tcpip::tcp {

class SackBlocks {
 public:
  // Off unless SACK was negotiated.
  explicit SackBlocks(bool enabled) : enabled_(enabled) {}

  // The newest segment is in `range`, the whole range that is held around it.
  void OnOutOfOrder(SeqRange range);
  // Only the first of several duplicates since the last report is kept.
  void OnDuplicate(SeqRange range);
  // Everything before `rcv_nxt` is acknowledged cumulatively now.
  void OnAdvance(SeqNum rcv_nxt);

  // The stream is complete: no range matters any more.
  void ForgetRanges() { count_ = 0; }

  bool empty() const { return count_ == 0 && !(memory_ && memory_->duplicate); }

  // Adds the blocks to a segment that leaves; emission drops the last ones
  // where the room is short.
  void Report(wire::TcpOptions& options);

 private:
  template <typename Predicate>
  void Remove(Predicate is_obsolete);

  struct Memory {
    std::array<SeqRange, wire::kMaxSackBlocks> recent;  // newest first
    std::optional<SeqRange> duplicate;
  };
  Memory& memory();

  std::unique_ptr<Memory> memory_;
  uint8_t count_ = 0;  // of memory_->recent
  bool enabled_;
};

}  // namespace tcpip::tcp

#endif  // TCPIP_TRANSPORT_TCP_RECEIVE_SACK_BLOCKS_H_
