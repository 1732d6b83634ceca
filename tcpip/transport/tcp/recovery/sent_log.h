// What was sent when, and what became of it: the one truth about data in
// flight. RFC 6675 2, RFC 8985 5.2.
//
//   SND.UNA                                             SND.MAX
//      | lost | retransmitted | sacked | outstanding ...   |
//
// Records in sequence order cover exactly [SND.UNA, SND.MAX), FIN included.
// Each is one transmission, maybe a super-segment; it is split only where a
// SACK, an ACK or a partial retransmission ends inside it, so a mark never
// covers bytes that nobody named [fault S13]. The byte counts are kept by
// SetState alone, and pipe follows from them [req D-40].
//
// Called by Sender; loss detection reads it and marks through it. It decides
// nothing: which data is lost, and when to send it again, is for sack_loss and
// loss_recovery.
#ifndef TCPIP_TRANSPORT_TCP_RECOVERY_SENT_LOG_H_
#define TCPIP_TRANSPORT_TCP_RECOVERY_SENT_LOG_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "tcpip/base/time.h"
#include "tcpip/transport/tcp/recovery/ring.h"
#include "tcpip/transport/tcp/seq.h"

namespace tcpip::tcp {

enum class SentState : uint8_t {
  kOutstanding,    // in the network, for all we know
  kSacked,         // at the receiver, above a hole
  kLost,           // neither; to be sent again
  kRetransmitted,  // was lost, and is in the network again
};

struct SentRecord {
  SeqNum begin;
  SeqNum end;
  Instant first_sent;
  Instant last_sent;
  // What the log had seen delivered when this was last sent: the beginning of
  // a delivery rate sample.
  uint64_t delivered = 0;
  Instant delivered_time;
  uint32_t gso_size = 0;      // payload of each wire segment
  uint8_t transmissions = 0;  // stops at 255
  SentState state = SentState::kOutstanding;

  SeqRange range() const { return {begin, end}; }
  uint32_t size() const { return range().size(); }
};

// What one acknowledgment newly delivered; every byte counts once.
struct Delivery {
  uint32_t acked_bytes = 0;      // SND.UNA moved by this much
  uint32_t sacked_bytes = 0;     // newly SACKed
  uint32_t delivered_bytes = 0;  // newly SACKed, or acknowledged and not SACKed
  // When the newest of it left that was sent only once.
  std::optional<Instant> newest_sent;
  // Some of what was acknowledged, and not SACKed before, was sent twice.
  bool covers_retransmission = false;
};

class SentLog {
 public:
  // A peer that names ranges of its own making cannot split the log into more
  // records than this: beyond it, SACKs count whole records only.
  static constexpr size_t kMaxSplitRecords = 8192;

  // `snd_una`: the first sequence number that may be sent.
  explicit SentLog(SeqNum snd_una)
      : snd_una_(snd_una), snd_max_(snd_una), first_lost_(snd_una) {}

  SeqNum snd_una() const { return snd_una_; }
  SeqNum snd_max() const { return snd_max_; }
  bool empty() const { return snd_una_ == snd_max_; }

  // New data, [snd_max(), snd_max() + bytes), left in wire segments of at most
  // `gso_size` bytes.
  void OnSent(uint32_t bytes, uint32_t gso_size, Instant now);
  // A range that NextLost() named, or the front of it, left once more.
  void OnRetransmitted(SeqRange range, Instant now);

  // The cumulative acknowledgment, snd_una() <= ack <= snd_max().
  void AckTo(SeqNum ack, Instant now, Delivery& delivery);
  // One SACK block inside [snd_una(), snd_max()).
  void ApplySack(SeqRange block, Instant now, Delivery& delivery);

  // What is outstanding in `range`, never sent again so far, is lost.
  void MarkLost(SeqRange range);
  // Whatever left in wire segments of more than `limit` bytes and is not SACKed
  // is lost, repairs too. O(records).
  void MarkOversize(uint32_t limit);
  // The retransmission timer expired: whatever is not SACKed is lost, repairs
  // too. SACKs stand unless the first byte is SACKed and yet not acknowledged:
  // then the receiver has dropped what it reported. [RFC 2018 8]
  void MarkAllLost(Instant now);

  bool HasLost() const { return lost_bytes_ > retransmitted_bytes_; }
  // The lost record of the lowest sequence number. O(log n) in most cases.
  std::optional<SeqRange> NextLost() const;
  bool IsSacked(SeqNum seq) const;

  uint32_t flight_size() const {
    return static_cast<uint32_t>(snd_max_ - snd_una_);
  }
  uint32_t sacked_bytes() const { return sacked_bytes_; }
  uint32_t lost_bytes() const { return lost_bytes_; }  // retransmitted included
  uint32_t retransmitted_bytes() const { return retransmitted_bytes_; }
  // Bytes in the network, each counted once. [req A-20]
  uint32_t pipe() const {
    return flight_size() - sacked_bytes_ - lost_bytes_ + retransmitted_bytes_;
  }

  // One past the highest SACKed byte; snd_una() when nothing is.
  SeqNum highest_sacked() const;
  // When the newest retransmission left, and when MarkAllLost was last called.
  Instant last_retransmission() const { return last_retransmission_; }
  Instant last_expiry() const { return last_expiry_; }
  // Bytes delivered since the beginning, and when the last of them were.
  uint64_t delivered() const { return delivered_; }

  // For calculators: records from the lowest to the highest sequence number.
  size_t record_count() const { return records_.size(); }
  const SentRecord& record(size_t i) const { return records_[i]; }
  // The record that holds `seq`, or record_count(). O(log n).
  size_t Find(SeqNum seq) const;

  // The counts added up from the records, and whether those are one gapless
  // run in order. For CheckInvariants.
  struct Counts {
    uint32_t sacked = 0;
    uint32_t lost = 0;
    uint32_t retransmitted = 0;
    bool gapless = true;
    friend bool operator==(const Counts&, const Counts&) = default;
  };
  Counts Recount() const;
  Counts counts() const {
    return {sacked_bytes_, lost_bytes_, retransmitted_bytes_, true};
  }

 private:
  // Adds `record`'s bytes to the counts of its state, or takes them out.
  void Count(const SentRecord& record, bool add);
  void SetState(SentRecord& record, SentState state);
  void Deliver(const SentRecord& record, Delivery& delivery) const;
  // Cuts the record that holds `seq` in two there; returns the index of the
  // record that begins at `seq`.
  size_t SplitAt(SeqNum seq);
  // Joins SACKed records [first, last) and SACKed neighbours into one.
  void MergeSacked(size_t first, size_t last);

  Ring<SentRecord> records_;
  SeqNum snd_una_;
  SeqNum snd_max_;
  SeqNum first_lost_;      // nothing below is kLost
  SeqNum highest_sacked_;  // means something while sacked_bytes_ > 0
  uint32_t sacked_bytes_ = 0;
  uint32_t lost_bytes_ = 0;
  uint32_t retransmitted_bytes_ = 0;
  uint64_t delivered_ = 0;
  Instant delivered_time_;
  Instant last_retransmission_ = Instant::LongAgo();
  Instant last_expiry_ = Instant::LongAgo();
};

}  // namespace tcpip::tcp

#endif  // TCPIP_TRANSPORT_TCP_RECOVERY_SENT_LOG_H_
