// PathModel: one direction of a path between two hosts, as a calculator. A
// packet is offered at an instant; the answer is when it arrives, perhaps
// twice, or why it does not.
//
//   size limit -> outage, listed and random loss -> drop-tail queue at `rate`
//              -> delay, jitter, hold, duplicate
//
// Pure and seeded: the same offers give the same answers, and each impairment
// draws from a stream of its own, so that switching one on does not change
// what another does. It sees sizes, never bytes. Used by the simulation.
#ifndef EMULATOR_PATH_MODEL_H_
#define EMULATOR_PATH_MODEL_H_

#include <array>
#include <cstdint>
#include <deque>
#include <limits>
#include <vector>

#include "tcpip/base/rng.h"
#include "tcpip/base/time.h"
#include "tcpip/base/units.h"

namespace emulator {

// Chances are in parts per million, so that no float decides anything.
inline constexpr uint32_t kPerMillion = 1'000'000;
constexpr uint32_t Percent(uint32_t n) { return n * (kPerMillion / 100); }

// From `from` on, and before `to`, nothing gets through.
struct Outage {
  tcpip::Instant from;
  tcpip::Instant to;
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
  uint32_t max_packet_bytes = kUnlimited;

  uint32_t loss = 0;       // per million
  uint32_t duplicate = 0;  // per million; the copy arrives with the original
  // Some packets with data arrive `hold_for` late, overtaken by the rest.
  uint32_t hold = 0;  // per million
  tcpip::Duration hold_for = {};

  // Lost by their place in the order of offers, counting from 1; ascending.
  std::vector<uint64_t> lose_packets = {};  // among all
  std::vector<uint64_t> lose_data = {};     // among those with data
  std::vector<Outage> outages = {};
};

enum class PathDrop : uint8_t {
  kNone,
  kTooBig,
  kOutage,
  kListed,
  kRandom,
  kQueueFull,
};
inline constexpr int kPathDropCount = 6;

struct OfferedPacket {
  uint32_t bytes = 0;
  bool has_data = false;  // payload, not only an acknowledgment
};

struct PathVerdict {
  PathDrop drop = PathDrop::kNone;
  uint8_t copies = 0;  // 0 exactly when dropped
  std::array<tcpip::Instant, 2> arrivals = {};
};

struct PathCounters {
  uint64_t offered = 0;
  uint64_t offered_bytes = 0;
  uint64_t delivered = 0;  // copies count
  uint64_t delivered_bytes = 0;
  std::array<uint64_t, kPathDropCount> dropped = {};

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
    uint32_t bytes;
  };

  PathDrop DropBefore(const OfferedPacket& packet, tcpip::Instant now);
  bool HasRoom(uint32_t bytes, tcpip::Instant now);
  tcpip::Instant ArrivalOf(const OfferedPacket& packet,
                           tcpip::Instant departure);

  PathConfig config_;
  tcpip::SeededRng loss_;
  tcpip::SeededRng jitter_;
  tcpip::SeededRng duplicate_;
  tcpip::SeededRng hold_;

  std::deque<Queued> queue_;  // by departure
  uint64_t queued_bytes_ = 0;
  tcpip::Instant idle_at_;
  tcpip::Instant last_arrival_;  // of those that stay in line
  uint64_t data_offered_ = 0;
  PathCounters counters_;
};

}  // namespace emulator

#endif  // EMULATOR_PATH_MODEL_H_
