// Forwarder: one direction of a path for real packets. Takes what a link has
// read, asks a PathModel about each packet a wire would carry, and keeps those
// that arrive until they are due.
//
//   Take(packets, now) -> PathModel -> mark, corrupt, copy -> by arrival
//                                                -> Due(now) -> packets
//
// A super-segment stays whole where its pieces have the same fate, and is cut
// where they part; the path knows only pieces.
//
// Time is an argument, so that tests run in virtual time. Called by the
// emulator's main loop, twice: there and back. Neither reads nor writes links.
#ifndef EMULATOR_FORWARDER_H_
#define EMULATOR_FORWARDER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "emulator/path_model.h"
#include "tcpip/base/time.h"
#include "tcpip/buffer/packet.h"
#include "tcpip/buffer/slab.h"

namespace emulator {

class Forwarder {
 public:
  // `pool` outlives this and every packet taken.
  Forwarder(const PathConfig& config, uint64_t seed, tcpip::SlabPool& pool);

  // Empties `packets`, whose heads nobody else holds. `now` never goes back
  // from one call to the next. O(log packets on the way) each.
  void Take(tcpip::PacketBatch& packets, tcpip::Instant now);

  // Appends the packets that arrive by `now`, in the order of their arrival.
  void Due(tcpip::Instant now, tcpip::PacketBatch& to);

  // When the next packet arrives.
  tcpip::Instant NextDeadline() const {
    return order_.empty() ? tcpip::Instant::Never() : order_.front().at;
  }

  const PathModel& path() const { return path_; }
  // A super-segment is one.
  size_t packets_on_the_way() const { return order_.size(); }
  // Packets whose offload facts contradict their headers; dropped.
  uint64_t malformed() const { return malformed_; }

 private:
  // A packet that is due at `at`; ties are broken by the order of offers.
  struct Arrival {
    tcpip::Instant at;
    uint64_t ordinal;
    uint32_t slot;
  };
  static bool IsLater(const Arrival& a, const Arrival& b) {
    return a.at != b.at ? a.at > b.at : a.ordinal > b.ordinal;
  }

  void TakeSuperSegment(tcpip::Packet packet, tcpip::Instant now);
  // The verdicts on its pieces, in order.
  void OfferPieces(const tcpip::Packet& packet, tcpip::Instant now);
  void Apply(const PathVerdict& verdict, tcpip::Packet packet);
  tcpip::Packet Corrupted(const tcpip::Packet& packet, uint32_t bit);
  void Keep(tcpip::Packet packet, tcpip::Instant arrival);

  PathModel path_;
  tcpip::SlabPool& pool_;
  uint64_t malformed_ = 0;
  uint64_t kept_ = 0;

  std::vector<Arrival> order_;  // a heap; the next one is in front
  tcpip::PacketBatch slots_;    // small things are sorted, not packets
  std::vector<uint32_t> free_slots_;
  std::vector<PathVerdict> verdicts_;
  tcpip::PacketBatch pieces_;
  std::vector<uint8_t> scratch_;
};

}  // namespace emulator

#endif  // EMULATOR_FORWARDER_H_
