#include "emulator/path_model.h"

#include <algorithm>
#include <utility>

namespace emulator {
namespace {

using tcpip::Duration;
using tcpip::Instant;

bool Happens(tcpip::SeededRng& rng, uint32_t per_million) {
  return rng.Below(kPerMillion) < per_million;
}

bool Contains(const std::vector<uint64_t>& ascending, uint64_t ordinal) {
  return std::binary_search(ascending.begin(), ascending.end(), ordinal);
}

// Uniform in [0, bound).
Duration Below(tcpip::SeededRng& rng, Duration bound) {
  const auto wide = static_cast<unsigned __int128>(rng.Next()) *
                    static_cast<uint64_t>(bound.nanoseconds());
  return Duration::Nanoseconds(static_cast<int64_t>(wide >> 64));
}

}  // namespace

PathModel::PathModel(PathConfig config, uint64_t seed)
    : config_(std::move(config)),
      loss_(seed),
      jitter_(seed + 1),
      duplicate_(seed + 2),
      hold_(seed + 3) {}

PathVerdict PathModel::Offer(const OfferedPacket& packet, Instant now) {
  ++counters_.offered;
  counters_.offered_bytes += packet.bytes;
  data_offered_ += packet.has_data;

  PathVerdict verdict = {.drop = DropBefore(packet, now)};
  if (verdict.drop == PathDrop::kNone && !HasRoom(packet.bytes, now)) {
    verdict.drop = PathDrop::kQueueFull;
  }
  if (verdict.drop != PathDrop::kNone) {
    ++counters_.dropped[static_cast<int>(verdict.drop)];
    return verdict;
  }

  idle_at_ = std::max(idle_at_, now);
  if (!config_.rate.IsZero()) {
    idle_at_ += config_.rate.TransmitTime(packet.bytes);
    queue_.push_back({idle_at_, packet.bytes});
    queued_bytes_ += packet.bytes;
  }
  verdict.copies = Happens(duplicate_, config_.duplicate) ? 2 : 1;
  verdict.arrivals.fill(ArrivalOf(packet, idle_at_));
  counters_.delivered += verdict.copies;
  counters_.delivered_bytes += uint64_t{verdict.copies} * packet.bytes;
  return verdict;
}

PathDrop PathModel::DropBefore(const OfferedPacket& packet, Instant now) {
  // Drawn for every packet, so that no other setting shifts the stream.
  const bool unlucky = Happens(loss_, config_.loss);
  if (packet.bytes > config_.max_packet_bytes) return PathDrop::kTooBig;
  for (const Outage& outage : config_.outages) {
    if (now >= outage.from && now < outage.to) return PathDrop::kOutage;
  }
  if (Contains(config_.lose_packets, counters_.offered) ||
      (packet.has_data && Contains(config_.lose_data, data_offered_))) {
    return PathDrop::kListed;
  }
  return unlucky ? PathDrop::kRandom : PathDrop::kNone;
}

bool PathModel::HasRoom(uint32_t bytes, Instant now) {
  while (!queue_.empty() && queue_.front().departure <= now) {
    queued_bytes_ -= queue_.front().bytes;
    queue_.pop_front();
  }
  // An idle bottleneck takes any packet.
  return queue_.empty() || (queued_bytes_ + bytes <= config_.queue_bytes &&
                            queue_.size() < config_.queue_packets);
}

Instant PathModel::ArrivalOf(const OfferedPacket& packet, Instant departure) {
  Instant arrival = departure + config_.delay + Below(jitter_, config_.jitter);
  if (packet.has_data && Happens(hold_, config_.hold)) {
    return arrival + config_.hold_for;
  }
  if (!config_.reorder) {
    arrival = std::max(arrival, last_arrival_);
    last_arrival_ = arrival;
  }
  return arrival;
}

}  // namespace emulator
