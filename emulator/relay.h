// Relay: two links and the two directions of the path between them. What one
// link delivers comes out of the other when, and if, the path says so.
//
// Called by the emulator's main loop, which owns the links, waits for them and
// knows the time. What is due at once is merged into super-segments where the
// receiving link takes those, as a network card merges what arrives together;
// a link that takes nothing keeps a bounded number of packets waiting.
#ifndef EMULATOR_RELAY_H_
#define EMULATOR_RELAY_H_

#include <array>
#include <cstdint>

#include "emulator/forwarder.h"
#include "emulator/path_model.h"
#include "tcpip/base/time.h"
#include "tcpip/buffer/packet.h"
#include "tcpip/buffer/slab.h"
#include "tcpip/link/gro.h"
#include "tcpip/link/link.h"
#include "tcpip/link/software_offload.h"

namespace emulator {

class Relay {
 public:
  enum Way : int { kThere = 0, kBack = 1 };  // left to right, right to left

  struct Settings {
    PathConfig there = {};
    PathConfig back = {};
    uint64_t seed = 1;
  };

  // The links outlive this.
  Relay(tcpip::Link& left, tcpip::Link& right, const Settings& settings);

  // Reads a batch of what waits on each link; true when there may be more.
  bool Read();
  // `now`: what was read enters the path, what has arrived leaves it.
  void Advance(tcpip::Instant now);

  // When the next packet arrives, either way.
  tcpip::Instant NextDeadline() const;
  // Packets have arrived that the link has no room for: Advance when it has.
  bool IsBlocked(Way way) const { return !ways_[way].arrived.empty(); }

  const Forwarder& forwarder(Way way) const { return ways_[way].forwarder; }
  // Packets given up because the link has taken none for long.
  uint64_t undelivered(Way way) const { return ways_[way].undelivered; }

 private:
  struct Direction {
    Direction(tcpip::Link& from, tcpip::Link& to, const PathConfig& path,
              uint64_t seed, tcpip::SlabPool& pool);

    tcpip::Link& from;
    tcpip::Link& to;
    tcpip::SoftwareOffload output;  // to `to`
    tcpip::PacketBatch read;        // and not yet on the path
    Forwarder forwarder;
    tcpip::Gro gro;
    tcpip::PacketBatch arrived;  // and not yet written
    uint64_t undelivered = 0;
  };

  void Write(Direction& way, tcpip::Instant now);

  tcpip::SlabPool pool_;
  std::array<Direction, 2> ways_;
};

}  // namespace emulator

#endif  // EMULATOR_RELAY_H_
