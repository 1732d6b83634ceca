#include "emulator/relay.h"

#include <algorithm>
#include <cstddef>

#include "tcpip/base/rng.h"

namespace emulator {
namespace {

using tcpip::Instant;
using tcpip::Link;

// Few enough that what is due in the meantime does not wait for long.
constexpr size_t kReadBatch = 16;
constexpr size_t kMostWaiting = 1024;

uint64_t SeedOf(uint64_t seed, Relay::Way way) {
  tcpip::SeededRng rng(seed);
  const uint64_t there = rng.Next();
  return way == Relay::kThere ? there : rng.Next();
}

}  // namespace

Relay::Direction::Direction(Link& from, Link& to, const PathConfig& path,
                            uint64_t seed, tcpip::SlabPool& pool)
    : from(from), to(to), output(to), forwarder(path, seed, pool) {}

Relay::Relay(Link& left, Link& right, const Settings& settings)
    : ways_{Direction(left, right, settings.there,
                      SeedOf(settings.seed, kThere), pool_),
            Direction(right, left, settings.back, SeedOf(settings.seed, kBack),
                      pool_)} {}

bool Relay::Read() {
  bool more = false;
  for (Direction& way : ways_) {
    // Nobody asks these packets when they came: they come when all are read, so
    // that none is early.
    more |= way.from.ReadBatch(pool_, way.read, kReadBatch, Instant()) ==
            kReadBatch;
  }
  return more;
}

void Relay::Advance(Instant now) {
  for (Direction& way : ways_) {
    way.forwarder.Take(way.read, now);
    Write(way, now);
  }
}

void Relay::Write(Direction& way, Instant now) {
  tcpip::PacketBatch& arrived = way.arrived;
  // The first of those that waited may be half written: not to be merged.
  const size_t fresh = arrived.size();
  way.forwarder.Due(now, arrived);
  if (arrived.empty()) return;
  const tcpip::LinkOffloads offloads = way.to.capabilities().tx;
  if (offloads.tso4 && offloads.tso6) way.gro.Merge(arrived, fresh);
  const size_t taken = way.output.WriteBatch(arrived);
  arrived.erase(arrived.begin(),
                arrived.begin() + static_cast<std::ptrdiff_t>(taken));
  if (arrived.size() > kMostWaiting) {
    way.undelivered += arrived.size() - 1;
    arrived.resize(1);
  }
}

Instant Relay::NextDeadline() const {
  return std::min(ways_[kThere].forwarder.NextDeadline(),
                  ways_[kBack].forwarder.NextDeadline());
}

}  // namespace emulator
