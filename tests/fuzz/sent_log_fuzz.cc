// SentLog beside a model that keeps every byte in flight on its own: sends,
// ACKs, SACKs, losses, repairs and expiries in any order. After each step all
// that the log tells is what the bytes add up to.
//
// The input is where sequence numbers begin, then steps: a byte that chooses
// one, then its parameters.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

#include "tcpip/base/time.h"
#include "tcpip/transport/tcp/recovery/sent_log.h"
#include "tcpip/transport/tcp/seq.h"
#include "tests/fuzz/input.h"

namespace tcpip::tcp {
namespace {

using fuzz::Check;
using fuzz::Input;

constexpr int kMaxSteps = 300;
constexpr uint32_t kMaxFlight = 1000;
constexpr uint32_t kGso = 16;

struct ByteInFlight {
  SentState state = SentState::kOutstanding;
  Instant last_sent;
  int transmissions = 1;
};

class World {
 public:
  explicit World(SeqNum iss) : log_(iss) {}

  void Step(Input& input) {
    now_ += Duration::Microseconds(input.Byte() % 4);
    switch (input.Byte() % 8) {
      case 0:
      case 1:
        Send(1 + input.Below(100));
        break;
      case 2:
        Ack(input.Below(flight() + 1));
        break;
      case 3:
      case 4:
        Sack(input);
        break;
      case 5:
        MarkLost(input);
        break;
      case 6:
        Repair(input);
        break;
      case 7:
        Rarely(input);
        break;
    }
    Compare();
    if (flight() > 0) CompareAt(input.Below(flight()));
  }

 private:
  uint32_t flight() const { return static_cast<uint32_t>(bytes_.size()); }
  SeqNum At(uint32_t offset) const { return log_.snd_una() + offset; }

  void Send(uint32_t bytes) {
    if (flight() + bytes > kMaxFlight) return;
    log_.OnSent(bytes, kGso, now_);
    bytes_.insert(bytes_.end(), bytes, {.last_sent = now_});
  }

  void Ack(uint32_t bytes) {
    Delivery expected;
    expected.acked_bytes = bytes;
    for (uint32_t i = 0; i < bytes; ++i) {
      if (bytes_[i].state == SentState::kSacked) continue;
      expected.covers_retransmission |= bytes_[i].transmissions > 1;
      Deliver(bytes_[i], expected);
    }
    Delivery seen;
    log_.AckTo(At(bytes), now_, seen);
    bytes_.erase(bytes_.begin(), bytes_.begin() + bytes);
    CompareDelivery(seen, expected);
  }

  void Sack(Input& input) {
    const uint32_t begin = input.Below(flight());
    const uint32_t end = begin + input.Below(flight() - begin + 1);
    if (begin == end) return;
    Delivery expected;
    for (uint32_t i = begin; i < end; ++i) {
      if (bytes_[i].state == SentState::kSacked) continue;
      ++expected.sacked_bytes;
      Deliver(bytes_[i], expected);
      bytes_[i].state = SentState::kSacked;
    }
    Delivery seen;
    log_.ApplySack({At(begin), At(end)}, now_, seen);
    CompareDelivery(seen, expected);
  }

  void MarkLost(Input& input) {
    const uint32_t begin = input.Below(flight());
    const uint32_t end = begin + input.Below(flight() - begin + 1);
    if (begin == end) return;
    log_.MarkLost({At(begin), At(end)});
    for (uint32_t i = begin; i < end; ++i) {
      if (bytes_[i].state == SentState::kOutstanding) {
        bytes_[i].state = SentState::kLost;
      }
    }
  }

  void Repair(Input& input) {
    const std::optional<SeqRange> lost = log_.NextLost();
    if (!lost) return;
    const uint32_t begin = static_cast<uint32_t>(lost->begin - log_.snd_una());
    const uint32_t n = 1 + input.Below(lost->size());
    log_.OnRetransmitted({lost->begin, lost->begin + n}, now_);
    for (uint32_t i = begin; i < begin + n; ++i) {
      Check(bytes_[i].state == SentState::kLost, "what is repaired was lost");
      bytes_[i].state = SentState::kRetransmitted;
      bytes_[i].last_sent = now_;
      ++bytes_[i].transmissions;
    }
    last_repair_ = now_;
  }

  void Rarely(Input& input) {
    if (input.Byte() % 4 != 0) return;
    if (input.Byte() % 2 == 0) return MarkOversize(input.Below(2 * kGso));
    const bool reneged =
        !bytes_.empty() && bytes_[0].state == SentState::kSacked;
    log_.MarkAllLost(now_);
    for (ByteInFlight& byte : bytes_) {
      if (byte.state == SentState::kSacked) {
        if (!reneged) continue;
        byte.transmissions = 2;  // never timed
      }
      byte.state = SentState::kLost;
    }
  }

  // Which bytes stood together in a wire segment, the log alone knows: the
  // model takes its word, and checks that it may say so.
  void MarkOversize(uint32_t limit) {
    log_.MarkOversize(limit);
    for (size_t i = 0; i < log_.record_count(); ++i) {
      const SentRecord& record = log_.record(i);
      for (SeqNum seq = record.begin; seq < record.end; seq += 1) {
        ByteInFlight& byte = bytes_[static_cast<size_t>(seq - log_.snd_una())];
        if (byte.state == record.state) continue;
        Check(limit < kGso, "what fits is lost");
        Check(byte.state != SentState::kSacked, "what has arrived is lost");
        Check(record.state == SentState::kLost, "neither lost nor as it was");
        byte.state = record.state;
      }
    }
  }

  static void Deliver(const ByteInFlight& byte, Delivery& delivery) {
    ++delivery.delivered_bytes;
    if (byte.transmissions > 1) return;
    delivery.newest_sent =
        std::max(delivery.newest_sent.value_or(byte.last_sent), byte.last_sent);
  }

  void CompareDelivery(const Delivery& seen, const Delivery& expected) {
    delivered_ += expected.delivered_bytes;
    Check(seen.acked_bytes == expected.acked_bytes, "acked_bytes");
    Check(seen.sacked_bytes == expected.sacked_bytes, "sacked_bytes");
    Check(seen.delivered_bytes == expected.delivered_bytes, "delivered_bytes");
    Check(seen.newest_sent == expected.newest_sent, "newest_sent");
    Check(seen.covers_retransmission == expected.covers_retransmission,
          "covers_retransmission");
  }

  void CompareAt(uint32_t i) const {
    const SentRecord& record = log_.record(log_.Find(At(i)));
    Check(record.range().Contains(At(i)), "Find");
    Check(log_.IsSacked(At(i)) == (bytes_[i].state == SentState::kSacked),
          "IsSacked");
  }

  void Compare() const {
    Check(log_.Recount() == log_.counts(), "counts differ from a recount");
    Check(log_.flight_size() == flight(), "flight_size");
    Check(log_.delivered() == delivered_, "delivered");
    Check(log_.last_retransmission() == last_repair_, "last_retransmission");
    uint32_t sacked = 0, lost = 0, repaired = 0;
    SeqNum highest_sacked = log_.snd_una();
    std::optional<SeqNum> first_lost;
    size_t record = 0;
    for (uint32_t i = 0; i < flight(); ++i) {
      record += log_.record(record).end <= At(i);
      const SentState state = bytes_[i].state;
      Check(log_.record(record).state == state, "state of a byte");
      if (state == SentState::kSacked) {
        ++sacked;
        highest_sacked = At(i + 1);
      }
      lost += state == SentState::kLost || state == SentState::kRetransmitted;
      repaired += state == SentState::kRetransmitted;
      if (state == SentState::kLost && !first_lost) first_lost = At(i);
    }
    Check(log_.sacked_bytes() == sacked, "sacked_bytes()");
    Check(log_.lost_bytes() == lost, "lost_bytes()");
    Check(log_.pipe() == flight() - sacked - lost + repaired, "pipe()");
    Check(log_.highest_sacked() == highest_sacked, "highest_sacked()");
    const std::optional<SeqRange> next = log_.NextLost();
    Check(next.has_value() == first_lost.has_value(), "NextLost() is there");
    if (next) Check(next->begin == *first_lost, "NextLost() is the first");
  }

  SentLog log_;
  std::deque<ByteInFlight> bytes_;  // from SND.UNA on
  Instant now_;
  Instant last_repair_ = Instant::LongAgo();
  uint64_t delivered_ = 0;
};

}  // namespace
}  // namespace tcpip::tcp

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tcpip::fuzz::Input input(data, size);
  tcpip::tcp::World world(tcpip::tcp::SeqNum(uint32_t{input.Word()} << 16));
  for (int i = 0; i < tcpip::tcp::kMaxSteps && !input.empty(); ++i) {
    world.Step(input);
  }
  return 0;
}
