// Where a connection stands between "all is well" and "everything is lost".
// RFC 6675 5, RFC 6582 (without SACK), RFC 5681 3.1 (after a timeout).
//
//            dup ACK or SACK          loss found
//   Open  ------------------> Disorder ---------> Recovery
//     ^  <-- all in order --      |                   |
//     |                           |  timer            | timer
//     +---- ACK >= recovery_point-+---> Loss <--------+
//
// Decides, mark by mark in the sent log, what is to be sent again; how much
// leaves when is for the sender, what it costs is for congestion. An episode
// (Recovery or Loss) ends when everything outstanding at its entry is
// acknowledged, and a loss of what was sent after that is a new one.
#ifndef TCPIP_TRANSPORT_TCP_RECOVERY_LOSS_RECOVERY_H_
#define TCPIP_TRANSPORT_TCP_RECOVERY_LOSS_RECOVERY_H_

#include <cstdint>

#include "tcpip/base/time.h"
#include "tcpip/transport/tcp/observe.h"
#include "tcpip/transport/tcp/recovery/sent_log.h"
#include "tcpip/transport/tcp/seq.h"

namespace tcpip::tcp {

enum class RecoveryEvent : uint8_t {
  kFullAck,   // ACK >= recovery_point
  kInOrder,   // SND.UNA advanced and nothing is SACKed
  kEvidence,  // a duplicate ACK, or something is SACKed
  kLoss,      // DupThresh reached
  kExpiry,    // the retransmission timer expired
};
inline constexpr int kRecoveryEventCount = 5;

// The declared transition table.
RecoveryState NextRecoveryState(RecoveryState state, RecoveryEvent event);

class LossRecovery {
 public:
  // `iss`: nothing before it can be in an episode.
  LossRecovery(bool sack, SeqNum iss) : recovery_point_(iss), sack_(sack) {}

  struct AckFacts {
    uint32_t acked_bytes = 0;  // SND.UNA advanced by this much
    // [RFC 5681 2] or it brought new SACK information
    bool duplicate = false;
    uint32_t smss = 0;
  };
  // `log` has taken the ACK and its SACK blocks already. Returns true when a
  // recovery begins: the congestion window is to be reduced, once.
  bool OnAck(const AckFacts& ack, SentLog& log);

  // The retransmission timer expired with data in flight: marks everything
  // lost. With the peer's window shut this is a probe: the peer may have
  // dropped what it had no room for, so the state stays. [fault W04]
  void OnExpiry(bool window_shut, SentLog& log, Instant now);
  // The path has turned out not to take segments of more than `smss` bytes:
  // those in flight are to be sent again, now. That is no congestion, and no
  // duplicate ACK is a sign of any until they have arrived. [RFC 1191 6.4]
  void OnPacketTooBig(uint32_t smss, SentLog& log);
  // Expiries since SND.UNA last advanced, or the peer last answered from
  // behind a shut window; retransmissions that ACKs clock out do not count.
  // [req B-20, B-21]
  uint8_t expiries() const { return expiries_; }
  void OnPeerAlive() { expiries_ = 0; }

  bool sack() const { return sack_; }
  RecoveryState state() const { return state_; }
  // ssthresh has been set for the losses of this episode.
  bool in_episode() const {
    return state_ == RecoveryState::kRecovery || state_ == RecoveryState::kLoss;
  }
  // [RFC 6675 5] the first retransmission of a recovery, and without SACK each
  // one a partial ACK asks for, leaves whatever pipe says.
  bool MustRetransmit() const { return must_retransmit_; }
  void OnRetransmitted() { must_retransmit_ = false; }

  // pipe, less what duplicate ACKs without SACK say has left the network.
  uint32_t InFlight(const SentLog& log) const {
    return log.pipe() - (log.pipe() < dup_bytes_ ? log.pipe() : dup_bytes_);
  }

 private:
  void Apply(RecoveryEvent event) { state_ = NextRecoveryState(state_, event); }
  void OnAdvance(const AckFacts& ack, SentLog& log);
  bool LossFound(const AckFacts& ack, const SentLog& log) const;
  // The first segment, if nothing is known of it yet.
  void MarkHeadLost(uint32_t smss, SentLog& log);

  // SND.NXT at the episode's entry, or when a packet was last found too big.
  SeqNum recovery_point_;
  RecoveryState state_ = RecoveryState::kOpen;
  uint8_t expiries_ = 0;
  bool sack_;
  bool must_retransmit_ = false;
  uint32_t dup_acks_ = 0;   // since SND.UNA last advanced
  uint32_t dup_bytes_ = 0;  // without SACK: what those stand for
};

}  // namespace tcpip::tcp

#endif  // TCPIP_TRANSPORT_TCP_RECOVERY_LOSS_RECOVERY_H_
