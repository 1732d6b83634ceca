// PathModel: one direction of a path between two hosts, as a calculator. A
// packet is offered at an instant; the answer is when it arrives, perhaps
// twice, marked or corrupted, or why it does not.
//
//   size limit, fragment drop -> outage, listed, random and bursty loss
//              -> policer -> drop-tail queue at `rate`, which marks
//              -> delay, jitter, hold, duplicate, corruption
//
// Pure and seeded: the same offers give the same answers, and each impairment
// draws from a stream of its own for every packet, so that switching one on
// does not change what another does. It sees sizes and facts, never bytes:
// whoever holds them marks and corrupts them. Used by the simulation and by
// forwarder.
#ifndef EMULATOR_PATH_MODEL_H_
#define EMULATOR_PATH_MODEL_H_

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "emulator/burst_loss.h"
#include "emulator/chance.h"
#include "emulator/policer.h"
#include "tcpip/base/ring.h"
#include "tcpip/base/rng.h"
#include "tcpip/base/time.h"
#include "tcpip/base/units.h"

namespace emulator {

// From `from` on, and before `to`, nothing gets through.
struct Outage {
  tcpip::Instant from;
  tcpip::Instant to;

  friend bool operator==(const Outage&, const Outage&) = default;
};

struct PathConfig {
  static constexpr uint32_t kUnlimited = std::numeric_limits<uint32_t>::max();

  // The bottleneck; zero: it takes no time, and no queue forms before it.
  tcpip::Bandwidth rate = {};
  tcpip::Duration delay = {};
  // Added to the delay of each packet, uniform in [0, jitter).
  tcpip::Duration jitter = {};
  // Jitter makes packets overtake each other; otherwise they wait in line.
  bool reorder = false;

  // What waits for the bottleneck, with the packet being sent.
  uint32_t queue_bytes = kUnlimited;
  uint32_t queue_packets = kUnlimited;
  // Marks packets that allow it and meet more than this in the queue: the time
  // they will wait, or bytes. [RFC 3168 5]
  std::optional<tcpip::Duration> mark_wait = {};
  uint32_t mark_bytes = kUnlimited;
  PolicerConfig police = {};  // before the queue
  uint32_t max_packet_bytes = kUnlimited;
  // No fragment but the first gets through.
  bool drop_fragments = false;

  uint32_t loss = 0;  // per million
  BurstLossConfig burst = {};
  uint32_t duplicate = 0;  // per million; the copy arrives with the original
  uint32_t corrupt = 0;    // per million; one bit arrives flipped
  // Some packets with data arrive `hold_for` late, overtaken by the rest.
  uint32_t hold = 0;  // per million
  tcpip::Duration hold_for = {};

  // Lost by their place in the order of offers, counting from 1; ascending.
  std::vector<uint64_t> lose_packets = {};  // among all
  std::vector<uint64_t> lose_data = {};     // among those with data
  std::vector<Outage> outages = {};

  friend bool operator==(const PathConfig&, const PathConfig&) = default;
};

// The path with its outages, which counted from Instant(), counted from
// `start`.
PathConfig StartingAt(PathConfig config, tcpip::Instant start);

enum class PathDrop : uint8_t {
  kNone,
  kTooBig,
  kFragment,
  kOutage,
  kListed,
  kRandom,
  kBurst,
  kPoliced,
  kQueueFull,
};
inline constexpr int kPathDropCount = 9;

struct OfferedPacket {
  uint32_t bytes = 0;     // at least one
  bool has_data = false;  // payload, not only an acknowledgment
  uint8_t ecn = 0;        // [RFC 3168 5] the field of the IP header
  bool is_later_fragment = false;
};

struct PathVerdict {
  PathDrop drop = PathDrop::kNone;
  uint8_t copies = 0;  // 0 exactly when dropped
  std::array<tcpip::Instant, 2> arrivals = {};
  bool mark_ce = false;  // the packet arrives with Congestion Experienced
  // This bit of the packet arrives flipped, in all copies; the high bit of the
  // first byte is 0.
  std::optional<uint32_t> corrupt_bit = {};
};

struct PathCounters {
  uint64_t offered = 0;
  uint64_t offered_bytes = 0;
  uint64_t delivered = 0;  // copies count
  uint64_t delivered_bytes = 0;
  std::array<uint64_t, kPathDropCount> dropped = {};
  // Of those delivered, copies not counted.
  uint64_t duplicated = 0;
  uint64_t held = 0;
  uint64_t marked = 0;
  uint64_t corrupted = 0;

  uint64_t Dropped(PathDrop reason) const {
    return dropped[static_cast<int>(reason)];
  }
};

class PathModel {
 public:
  PathModel(PathConfig config, uint64_t seed);

  // `now` never goes back from one offer to the next. O(packets that left the
  // queue since).
  PathVerdict Offer(const OfferedPacket& packet, tcpip::Instant now);

  // When the bottleneck will have sent all it has taken. A sender that waits
  // for it, as for a network card, never meets a full queue.
  tcpip::Instant IdleAt() const { return idle_at_; }

  const PathConfig& config() const { return config_; }
  const PathCounters& counters() const { return counters_; }

 private:
  struct Queued {
    tcpip::Instant departure;
    uint32_t bytes = 0;
  };
  // What chance has in store for a packet, if nothing else happens to it.
  struct Chance {
    PathDrop loss = PathDrop::kNone;
    bool duplicate = false;
    bool hold = false;
    tcpip::Duration jitter;
    std::optional<uint32_t> corrupt_bit;
  };

  Chance Draw(const OfferedPacket& packet);
  PathDrop Judge(const OfferedPacket& packet, PathDrop chance,
                 tcpip::Instant now);
  bool IsMarked(const OfferedPacket& packet, tcpip::Instant now) const;
  void LeaveQueue(tcpip::Instant now);
  // When it has left the bottleneck.
  tcpip::Instant Transmit(uint32_t bytes, tcpip::Instant now);
  tcpip::Instant ArrivalOf(const Chance& chance, tcpip::Instant departure);

  PathConfig config_;
  tcpip::SeededRng loss_;
  tcpip::SeededRng jitter_;
  tcpip::SeededRng duplicate_;
  tcpip::SeededRng hold_;
  tcpip::SeededRng corrupt_;
  BurstLoss burst_;
  Policer policer_;

  tcpip::Ring<Queued> queue_;  // by departure
  uint64_t queued_bytes_ = 0;
  tcpip::Instant idle_at_;
  tcpip::Instant last_arrival_;  // of those that stay in line
  uint64_t data_offered_ = 0;
  PathCounters counters_;
};

}  // namespace emulator

#endif  // EMULATOR_PATH_MODEL_H_
