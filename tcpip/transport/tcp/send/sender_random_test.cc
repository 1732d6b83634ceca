#include "tcpip/transport/tcp/send/sender.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <queue>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tcpip/base/rng.h"
#include "tcpip/buffer/slab.h"
#include "tcpip/transport/tcp/send/sender_driver.h"

namespace tcpip::tcp {
namespace {

struct Path {
  const char* name;
  bool sack = true;
  uint32_t gso = 0;
  uint32_t loss_percent = 0;     // of segments, and of ACKs
  uint32_t reorder_percent = 0;  // of segments that take twice as long
  bool shrinks = false;          // the peer's window comes and goes
  uint32_t iss = 0;
};

// The naivest receiver there is, over a path that loses and reorders wire
// segments. Everything must arrive, whatever happens on the way.
class SenderRandom : public testing::TestWithParam<Path> {
 protected:
  static constexpr uint64_t kSeed = 11;
  static constexpr uint32_t kSmss = 1'000;
  static constexpr uint32_t kTotal = 600'000;
  static constexpr Duration kOneWay = Duration::Milliseconds(10);

  struct Arrival {
    Instant at;
    uint64_t order;
    uint32_t begin;  // offset; FIN counts as a byte behind the last
    uint32_t end;
    bool probe;
    bool operator<(const Arrival& other) const {  // earliest first
      return at != other.at ? at > other.at : order > other.order;
    }
  };
  struct AckOnItsWay {
    Instant at;
    uint32_t ack;
    uint32_t wnd;
    std::vector<wire::SackBlock> sack;
  };

  SenderRandom() {
    Negotiated negotiated;
    negotiated.smss = kSmss;
    negotiated.sack = path_.sack;
    sender_.emplace(config_, negotiated,
                    SenderStart{.iss = SeqNum(path_.iss),
                                .snd_wnd = WindowSize(wnd_),
                                .snd_wl1 = SeqNum(0),
                                .snd_wl2 = SeqNum(path_.iss + 1),
                                .handshake_rtt = kOneWay * 2,
                                .send_buffer_bytes = 100'000,
                                .max_gso_bytes = path_.gso});
  }

  bool Percent(uint32_t percent) { return rng_.Next() % 100 < percent; }
  SeqNum Seq(uint32_t offset) const { return SeqNum(path_.iss) + 1 + offset; }

  void WriteSome() {
    while (written_ < kTotal && sender_->writable_bytes() > 0) {
      uint32_t n = 1 + static_cast<uint32_t>(rng_.Next() % 20'000);
      n = std::min(n, kTotal - written_);
      std::vector<uint8_t> bytes(n);
      for (uint32_t i = 0; i < n; ++i) {
        bytes[i] = SenderDriver::Byte(written_ + i);
      }
      written_ += static_cast<uint32_t>(sender_->WriteCopy(bytes, pool_));
    }
    if (written_ == kTotal) sender_->CloseWrite();
  }

  void Depart(const OutData& out) {
    const auto begin = static_cast<uint32_t>(out.seq - Seq(0));
    const auto size = static_cast<uint32_t>(out.payload.size());
    std::vector<uint8_t> bytes(size);
    out.payload.CopyTo(bytes);
    for (uint32_t i = 0; i < size; ++i) {
      ASSERT_EQ(bytes[i], SenderDriver::Byte(begin + i));
    }
    const bool probe = size == 0 && !out.fin;
    if (!out.retransmission && !probe) {
      ASSERT_LE(out.seq + size - sender_->snd_una(),
                static_cast<int32_t>(sender_->snd_wnd().bytes()));
    }
    for (uint32_t at = 0; at < size + out.fin || probe; at += kSmss) {
      uint32_t end = std::min(at + kSmss, size);
      if (at + kSmss >= size) end = size + out.fin;
      const Duration delay =
          Percent(path_.reorder_percent) ? kOneWay * 2 : kOneWay;
      if (!Percent(path_.loss_percent)) {
        arrivals_.push(
            {now_ + delay, ++order_, begin + at, begin + end, probe});
      }
      if (end == size + out.fin) break;
    }
  }

  // The receiver: in-order edge and ranges above it; what does not fit its
  // window is cut off.
  void Arrive(const Arrival& a) {
    if (path_.shrinks && rng_.Next() % 8 == 0) {
      wnd_ = static_cast<uint32_t>(rng_.Next() % 3 * (rng_.Next() % 9'000));
    }
    uint32_t begin = std::max(a.begin, next_);
    uint32_t end = std::min(a.end, next_ + wnd_);
    if (!a.probe && begin < end) {
      for (auto it = held_.begin(); it != held_.end();) {
        if (it->second < begin || it->first > end) {
          ++it;
          continue;
        }
        begin = std::min(begin, it->first);
        end = std::max(end, it->second);
        it = held_.erase(it);
      }
      held_[begin] = end;
      if (held_.begin()->first <= next_) {
        next_ = held_.begin()->second;
        held_.erase(held_.begin());
      }
    }
    if (Percent(path_.loss_percent)) return;
    AckOnItsWay ack{now_ + kOneWay, next_, wnd_, {}};
    for (const auto& [begin, end] : held_) {
      if (!path_.sack || ack.sack.size() == 3) break;
      ack.sack.push_back({Seq(begin).value(), Seq(end).value()});
    }
    acks_.push(ack);
  }

  void TakeAck(const AckOnItsWay& ack) {
    AckInput in;
    in.ack = Seq(ack.ack);
    in.wnd = WindowSize(ack.wnd);
    in.sack = ack.sack;
    in.ingress = now_;
    sender_->OnAck(in, timers_, now_);
  }

  void RunTimers() {
    if (timers_.TakeExpired(TimerSlot::kRetransmit, now_)) {
      ASSERT_EQ(sender_->OnRetransmitTimer(timers_, now_),
                RetransmitVerdict::kRetry);
    }
    if (timers_.TakeExpired(TimerSlot::kPersist, now_)) {
      ASSERT_EQ(sender_->OnPersistTimer(timers_, now_),
                RetransmitVerdict::kRetry);
    }
    if (timers_.TakeExpired(TimerSlot::kHold, now_)) sender_->OnHoldTimer();
  }

  // One event; false when there is nothing left to happen.
  bool Step() {
    WriteSome();
    while (auto out = sender_->PollSend(timers_, now_)) Depart(*out);
    sender_->CheckInvariants(timers_);
    Instant next = Instant::Never();
    for (TimerSlot slot :
         {TimerSlot::kRetransmit, TimerSlot::kPersist, TimerSlot::kHold}) {
      next = std::min(next, timers_.deadline(slot));
    }
    if (!arrivals_.empty()) next = std::min(next, arrivals_.top().at);
    if (!acks_.empty()) next = std::min(next, acks_.front().at);
    if (next.IsNever()) return false;
    now_ = std::max(now_, next);
    while (!arrivals_.empty() && arrivals_.top().at <= now_) {
      const Arrival arrival = arrivals_.top();
      arrivals_.pop();
      Arrive(arrival);
    }
    // Some ACKs are processed together, as they come from a queue.
    while (!acks_.empty() && acks_.front().at <= now_) {
      TakeAck(acks_.front());
      acks_.pop();
    }
    RunTimers();
    return true;
  }

  const Path& path_ = GetParam();
  TcpConfig config_;
  SeededRng rng_{kSeed};
  SlabPool pool_{0};
  std::optional<Sender> sender_;
  Timers timers_;
  Instant now_ = Instant::FromNanoseconds(1);
  uint32_t written_ = 0;
  uint32_t wnd_ = 60'000;
  uint32_t next_ = 0;
  std::map<uint32_t, uint32_t> held_;
  uint64_t order_ = 0;
  std::priority_queue<Arrival> arrivals_;
  std::queue<AckOnItsWay> acks_;
};

TEST_P(SenderRandom, EverythingArrives) {
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  int steps = 0;
  while (Step() && !HasFatalFailure()) {
    ASSERT_LT(++steps, 200'000) << "no end: " << next_ << " of " << kTotal;
  }
  EXPECT_EQ(next_, kTotal + 1);
  EXPECT_TRUE(sender_->fin_acked());
  EXPECT_FALSE(sender_->HasUnackedOrUnsent());
  EXPECT_EQ(pool_.stats().live, 0u);
  if (path_.loss_percent == 0 && path_.reorder_percent == 0 && !path_.shrinks) {
    TcpInfo info;
    sender_->FillInfo(info);
    EXPECT_EQ(info.octets_retrans, 0u);
    EXPECT_EQ(info.timeouts, 0u);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Sender, SenderRandom,
    testing::Values(
        Path{.name = "Clean"}, Path{.name = "CleanGso", .gso = 65'280},
        Path{.name = "CleanNoSack", .sack = false},
        Path{.name = "Lossy", .loss_percent = 3},
        Path{.name = "LossyGso", .gso = 65'280, .loss_percent = 3},
        Path{.name = "LossyNoSack", .sack = false, .loss_percent = 3},
        Path{.name = "VeryLossy", .gso = 9'000, .loss_percent = 20},
        Path{.name = "Reordering", .reorder_percent = 10},
        Path{.name = "ReorderingNoSack", .sack = false, .reorder_percent = 10},
        Path{.name = "ReorderingLossyGso",
             .gso = 65'280,
             .loss_percent = 2,
             .reorder_percent = 10},
        Path{.name = "Shrinking", .shrinks = true},
        Path{.name = "ShrinkingGso", .gso = 65'280, .shrinks = true},
        Path{.name = "ShrinkingLossy",
             .gso = 65'280,
             .loss_percent = 3,
             .shrinks = true},
        // [fault S23]
        Path{.name = "Iss1", .loss_percent = 3, .iss = 1},
        Path{.name = "IssHalfLess", .loss_percent = 3, .iss = 0x7fffffff},
        Path{.name = "IssHalf", .loss_percent = 3, .iss = 0x80000000},
        Path{.name = "IssLast", .loss_percent = 3, .iss = 0xffffffff},
        Path{.name = "IssWraps", .loss_percent = 3, .iss = 0xfffb0000}),
    [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace tcpip::tcp
