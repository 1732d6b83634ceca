// Opening a connection: SYN-SENT and SYN-RECEIVED. RFC 9293 3.5, 3.10.7.3 and
// the SYN-RECEIVED parts of 3.10.7.4, RFC 6298 5.7.
//
// Connection uses it for active and simultaneous opens, Listener for half-open
// entries; the judges are pure and both act on their verdicts. Payload and FIN
// of a SYN are left for the peer to send again.
#ifndef TCPIP_TRANSPORT_TCP_HANDSHAKE_H_
#define TCPIP_TRANSPORT_TCP_HANDSHAKE_H_

#include <cstdint>
#include <optional>

#include "tcpip/base/time.h"
#include "tcpip/buffer/view_chain.h"
#include "tcpip/transport/tcp/config.h"
#include "tcpip/transport/tcp/offer.h"
#include "tcpip/transport/tcp/replies.h"
#include "tcpip/transport/tcp/segment.h"
#include "tcpip/transport/tcp/seq.h"

namespace tcpip::tcp {

// A finished handshake: what a connection is built from.
struct Handshake {
  Offer ours;
  PeerSyn theirs;
  // From the segment that finished it.
  WindowSize snd_wnd;
  SeqNum snd_wl1;
  SeqNum snd_wl2;
  Instant opened;               // when our SYN or SYN-ACK first left
  std::optional<Duration> rtt;  // none when it left more than once
  bool syn_timed_out = false;   // [RFC 6298 5.7]
};

// When a SYN or SYN-ACK leaves, and leaves again.
class SynTransmissions {
 public:
  bool due() const { return due_; }
  Instant deadline() const { return deadline_; }
  uint8_t count() const { return count_; }

  void OnSent(const TcpConfig& config, Instant now);
  // The segment left outside this schedule, too: an answer cannot be timed.
  void OnRepeated() { ambiguous_ = true; }

  enum class Expiry : uint8_t { kNotYet, kSendAgain, kGiveUp };
  // kGiveUp after `retries` unanswered retransmissions.
  Expiry OnTimer(uint8_t retries, Instant now);

  // Writes opened, rtt and syn_timed_out; the answer came in at `ingress`.
  void Describe(Handshake& handshake, Instant ingress) const;

 private:
  Instant first_sent_;
  Instant deadline_ = Instant::Never();
  uint8_t count_ = 0;
  bool due_ = true;  // should be put on the wire
  bool ambiguous_ = false;
};

// What the user has done before the connection was established, and what it
// owes to a segment that did not fit.
struct Opening {
  ViewChain queued;
  bool fin_queued = false;
  std::optional<OutSegment> reply;
};

struct SynSent {
  Offer offer;
  SynTransmissions syn;
  Opening opening;
};

// SYN-RECEIVED without a user: all of a Listener's entry.
struct HalfOpen {
  Offer offer;
  PeerSyn peer;
  SynTransmissions syn_ack;
  AckLimiter ack_limiter;
};

// SYN-RECEIVED by simultaneous open.
struct SynReceived {
  HalfOpen half_open;
  Opening opening;
};

enum class HandshakeVerdict : uint8_t {
  kDrop,
  kSendReset,     // RST; the handshake goes on
  kAck,           // not acceptable: say where we are
  kChallenge,     // let the peer prove that it meant it
  kRepeatSynAck,  // the peer's SYN again: our answer was lost
  kSyn,           // SYN-SENT: simultaneous open. SYN-RECEIVED: another SYN
  kReset,         // a genuine RST
  kEstablished,
};

// [RFC 9293 3.10.7.3]
HandshakeVerdict JudgeInSynSent(const Offer& ours, const Segment& seg);
// [RFC 9293 3.10.7.4]
HandshakeVerdict JudgeInSynReceived(const HalfOpen& half_open,
                                    const Segment& seg);

// The answer to a segment that leaves the state SYN-RECEIVED as it was, within
// its limits. kSyn is the caller's to judge.
std::optional<OutSegment> AnswerInSynReceived(const TcpConfig& config,
                                              HalfOpen& half_open,
                                              HandshakeVerdict verdict,
                                              const Segment& seg, Instant now);

// kSyn in SYN-SENT, on the SYN `seg`.
SynReceived OpenSimultaneously(SynSent state, const Segment& seg);
// kEstablished in SYN-SENT, on the SYN-ACK `seg`.
Handshake Finish(const SynSent& state, const Segment& seg);
// kEstablished in SYN-RECEIVED, on the ACK `seg`.
Handshake Finish(const TcpConfig& config, const HalfOpen& half_open,
                 const Segment& seg);

// What leaves next, if anything.
std::optional<OutSegment> PollHandshake(const TcpConfig& config, SynSent& state,
                                        Instant now);
std::optional<OutSegment> PollHandshake(const TcpConfig& config,
                                        SynReceived& state, Instant now);

// The RST that aborts it. [RFC 9293 3.10.5]
OutSegment ResetOf(const SynReceived& state);

}  // namespace tcpip::tcp

#endif  // TCPIP_TRANSPORT_TCP_HANDSHAKE_H_
