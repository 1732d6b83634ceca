// FlowWatch: one direction of a connection as it is seen from outside: what was
// sent once and again, why, whether that was needed, and the time until it was
// acknowledged. It knows what the path did with each packet, which the sender
// can only guess: a judge of recovery, never part of it.
//
// Fed in order of time with the segments of the sender and the acknowledgments
// that reached him, each with his TcpInfo as of then. Knows neither hosts nor
// links; Scenario connects it to them.
#ifndef TCPIP_TESTING_FLOW_WATCH_H_
#define TCPIP_TESTING_FLOW_WATCH_H_

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "tcpip/base/time.h"
#include "tcpip/testing/packet_reader.h"
#include "tcpip/transport/tcp/observe.h"

namespace tcpip::sim {

// Why a segment with data or FIN was sent.
enum class SendKind : uint8_t {
  kNew,
  kFast,     // again, in fast recovery
  kTimeout,  // again, after a timeout
  kOther,    // again, for another reason: a smaller MTU, a probe
};

struct FlowCounts {
  uint64_t segs_sent = 0;  // with data or FIN, as on the wire
  uint64_t segs_lost = 0;
  uint64_t retrans_fast = 0;
  uint64_t retrans_timeout = 0;
  uint64_t retrans_other = 0;
  // Sent again though the first copy had arrived, or was on its way to.
  uint64_t retrans_needless = 0;
  uint64_t fast_recoveries = 0;
  uint64_t timeouts = 0;
  // Recoveries that began while nothing in flight had been lost, and timeouts
  // while all of it had arrived or was on its way.
  uint64_t spurious = 0;
};

// What happened to the flow at one instant, and how the sender stood then.
// Offsets count payload from 0, and a FIN as one.
struct FlowEvent {
  enum class Kind : uint8_t { kSent, kAcked };
  Kind kind = Kind::kSent;
  SendKind sent = SendKind::kNew;
  bool lost = false;   // what was sent
  uint64_t begin = 0;  // of what was sent
  uint64_t end = 0;    // of it, or of all that is acknowledged
  Duration rtt;        // of this acknowledgment; zero: it gives none
  Instant at;
  tcp::TcpInfo info;
};

class FlowWatch {
 public:
  // Without `keep_events` only sums are kept.
  explicit FlowWatch(bool keep_events) : keep_events_(keep_events) {}

  void OnSent(const ReadTcp& segment, bool lost, const tcp::TcpInfo& info,
              Instant now);
  void OnAcked(const ReadTcp& segment, const tcp::TcpInfo& info, Instant now);

  const FlowCounts& counts() const { return counts_; }
  // From the sending of data to the arrival of the acknowledgment that was the
  // first to cover it, for data sent once: the newest of each acknowledgment.
  const std::vector<Duration>& rtts() const { return rtts_; }
  const std::vector<FlowEvent>& events() const { return events_; }

 private:
  enum class Fate : uint8_t { kUnderWay, kLost, kCovered };
  // A segment that is not yet acknowledged, by where it begins.
  struct Sent {
    uint64_t end;
    Instant at;
    bool again;  // sent more than once
    bool hurt;   // at least one copy was lost
    Fate fate;
  };

  // The offset of a sequence number near those in flight.
  int64_t OffsetOf(uint32_t seq) const;
  SendKind KindOf(uint64_t begin, const tcp::TcpInfo& info) const;
  void Record(uint64_t begin, uint64_t end, bool lost, Instant now);
  void SendAgain(uint64_t begin, uint64_t end, bool lost);
  void CountEpisodes(const tcp::TcpInfo& info);
  // Marks what [begin, end) covers; the newest departure that gives a sample.
  std::optional<Instant> Cover(int64_t begin, int64_t end);
  void Uncount(Sent& sent);
  void Forget(uint64_t acked);

  bool keep_events_;
  uint32_t first_seq_ = 0;  // of payload
  uint64_t snd_max_ = 0;
  uint64_t acked_ = 0;
  std::map<uint64_t, Sent> in_flight_;
  // Among those in flight and not yet covered.
  uint64_t lost_segs_ = 0;
  uint64_t hurt_segs_ = 0;
  FlowCounts counts_;
  std::vector<Duration> rtts_;
  std::vector<FlowEvent> events_;
};

}  // namespace tcpip::sim

#endif  // TCPIP_TESTING_FLOW_WATCH_H_
