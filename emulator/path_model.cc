#include "emulator/path_model.h"

#include <algorithm>
#include <utility>

namespace emulator {
namespace {

using tcpip::Duration;
using tcpip::Instant;
using tcpip::SeededRng;

// [RFC 3168 5] ECT(0) and ECT(1): the ends understand a mark
bool IsEcnCapable(uint8_t ecn) { return ecn == 1 || ecn == 2; }

// The stream of one impairment. They differ in the top byte, so that models
// with neighbouring seeds share none.
SeededRng Stream(uint64_t seed, uint8_t impairment) {
  return SeededRng(seed ^ uint64_t{impairment} << 56);
}

bool Contains(const std::vector<uint64_t>& ascending, uint64_t ordinal) {
  return std::binary_search(ascending.begin(), ascending.end(), ordinal);
}

// Uniform in [0, bound).
Duration Below(SeededRng& rng, Duration bound) {
  const auto wide = static_cast<unsigned __int128>(rng.Next()) *
                    static_cast<uint64_t>(bound.nanoseconds());
  return Duration::Nanoseconds(static_cast<int64_t>(wide >> 64));
}

}  // namespace

PathConfig StartingAt(PathConfig config, Instant start) {
  for (Outage& outage : config.outages) {
    outage.from += start - Instant();
    outage.to += start - Instant();
  }
  return config;
}

PathModel::PathModel(PathConfig config, uint64_t seed)
    : config_(std::move(config)),
      loss_(Stream(seed, 0)),
      jitter_(Stream(seed, 1)),
      duplicate_(Stream(seed, 2)),
      hold_(Stream(seed, 3)),
      corrupt_(Stream(seed, 4)),
      burst_(config_.burst, Stream(seed, 5)),
      policer_(config_.police) {}

PathVerdict PathModel::Offer(const OfferedPacket& packet, Instant now) {
  ++counters_.offered;
  counters_.offered_bytes += packet.bytes;
  data_offered_ += packet.has_data;
  LeaveQueue(now);

  const Chance chance = Draw(packet);
  PathVerdict verdict = {.drop = Judge(packet, chance.loss, now)};
  if (verdict.drop != PathDrop::kNone) {
    ++counters_.dropped[static_cast<int>(verdict.drop)];
    return verdict;
  }
  verdict.mark_ce = IsMarked(packet, now);
  verdict.corrupt_bit = chance.corrupt_bit;
  verdict.copies = chance.duplicate ? 2 : 1;
  verdict.arrivals.fill(ArrivalOf(chance, Transmit(packet.bytes, now)));
  counters_.delivered += verdict.copies;
  counters_.delivered_bytes += uint64_t{verdict.copies} * packet.bytes;
  counters_.duplicated += chance.duplicate;
  counters_.held += chance.hold;
  counters_.marked += verdict.mark_ce;
  counters_.corrupted += verdict.corrupt_bit.has_value();
  return verdict;
}

// For every packet, whatever else happens to it, so that no other setting
// shifts a stream.
PathModel::Chance PathModel::Draw(const OfferedPacket& packet) {
  Chance chance;
  if (burst_.Loses()) chance.loss = PathDrop::kBurst;
  if (Happens(loss_, config_.loss)) chance.loss = PathDrop::kRandom;
  chance.duplicate = Happens(duplicate_, config_.duplicate);
  chance.hold = packet.has_data && Happens(hold_, config_.hold);
  chance.jitter = Below(jitter_, config_.jitter);
  if (Happens(corrupt_, config_.corrupt)) {
    chance.corrupt_bit = corrupt_.Below(packet.bytes * 8);
  }
  return chance;
}

PathDrop PathModel::Judge(const OfferedPacket& packet, PathDrop chance,
                          Instant now) {
  if (packet.bytes > config_.max_packet_bytes) return PathDrop::kTooBig;
  if (packet.is_later_fragment && config_.drop_fragments) {
    return PathDrop::kFragment;
  }
  for (const Outage& outage : config_.outages) {
    if (now >= outage.from && now < outage.to) return PathDrop::kOutage;
  }
  if (Contains(config_.lose_packets, counters_.offered) ||
      (packet.has_data && Contains(config_.lose_data, data_offered_))) {
    return PathDrop::kListed;
  }
  if (chance != PathDrop::kNone) return chance;
  if (!policer_.Passes(packet.bytes, now)) return PathDrop::kPoliced;
  // An idle bottleneck takes any packet.
  if (!queue_.empty() && (queued_bytes_ + packet.bytes > config_.queue_bytes ||
                          queue_.size() >= config_.queue_packets)) {
    return PathDrop::kQueueFull;
  }
  return PathDrop::kNone;
}

void PathModel::LeaveQueue(Instant now) {
  while (!queue_.empty() && queue_.front().departure <= now) {
    queued_bytes_ -= queue_.PopFront().bytes;
  }
}

bool PathModel::IsMarked(const OfferedPacket& packet, Instant now) const {
  if (!IsEcnCapable(packet.ecn)) return false;
  return queued_bytes_ > config_.mark_bytes ||
         (config_.mark_wait && idle_at_ > now + *config_.mark_wait);
}

Instant PathModel::Transmit(uint32_t bytes, Instant now) {
  idle_at_ = std::max(idle_at_, now);
  if (!config_.rate.IsZero()) {
    idle_at_ += config_.rate.TransmitTime(bytes);
    queue_.PushBack({idle_at_, bytes});
    queued_bytes_ += bytes;
  }
  return idle_at_;
}

Instant PathModel::ArrivalOf(const Chance& chance, Instant departure) {
  Instant arrival = departure + config_.delay + chance.jitter;
  if (chance.hold) return arrival + config_.hold_for;
  if (!config_.reorder) {
    arrival = std::max(arrival, last_arrival_);
    last_arrival_ = arrival;
  }
  return arrival;
}

}  // namespace emulator
