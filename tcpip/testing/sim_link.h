// SimLink: joins two SimHosts by two PathModels, and watches the wire.
//
// Packets are pulled from a host as a network card would, cut to what the wire
// carries, checked, hashed into the simulation's trace, and offered to the
// path; what arrives is a copy in the receiver's memory, stamped with its time
// of arrival, marked or corrupted as the path has decided. With offloads, the
// surviving neighbours of one super-segment arrive merged, as they would from a
// card.
//
// With NETSTACK_SIM_PRINT in the environment every packet is printed.
#ifndef TCPIP_TESTING_SIM_LINK_H_
#define TCPIP_TESTING_SIM_LINK_H_

#include <array>
#include <cstdint>

#include "absl/functional/any_invocable.h"
#include "emulator/path_model.h"
#include "tcpip/base/time.h"
#include "tcpip/buffer/packet.h"
#include "tcpip/network/interface_id.h"
#include "tcpip/testing/packet_reader.h"
#include "tcpip/testing/sim_host.h"
#include "tcpip/testing/simulation.h"
#include "tcpip/testing/wire_checks.h"

namespace tcpip::sim {

struct SimLinkConfig {
  uint32_t mtu = 1500;
  bool offload = false;  // segmentation and checksums, both ends

  // A host sends only when its path's bottleneck is idle, as through its own
  // card. Otherwise all goes at once to a queue in the network, and may be
  // dropped there.
  bool wait_for_idle = false;

  emulator::PathConfig there = {};  // from the first host to the second
  emulator::PathConfig back = {};
};

// Which host, as an index.
enum Side : int { kFirst = 0, kSecond = 1 };
constexpr Side Other(Side side) { return side == kFirst ? kSecond : kFirst; }

// Looks on: at every packet of the wire with what becomes of it, and at every
// packet that reached a host, when he has done what he does about it.
class LinkWatch {
 public:
  virtual ~LinkWatch() = default;
  virtual void OnSent(Side from, const ReadPacket& packet,
                      const emulator::PathVerdict& verdict) = 0;
  virtual void OnArrived(Side at, const ReadPacket& packet) = 0;
};

class SimLink {
 public:
  // Sees every packet on the wire before the path does; false loses it.
  using Filter = absl::AnyInvocable<bool(Side from, const ReadPacket&)>;

  // The hosts outlive the link.
  SimLink(Simulation& simulation, SimHost& first, SimHost& second,
          const SimLinkConfig& config);
  SimLink(const SimLink&) = delete;
  SimLink& operator=(const SimLink&) = delete;

  InterfaceId interface(Side side) const { return ends_[side].interface; }
  const emulator::PathModel& path(Side from) const { return ends_[from].path; }
  void set_filter(Filter filter) { filter_ = std::move(filter); }
  // Null: nobody. The watch outlives the link, or is taken away before.
  void set_watch(LinkWatch* watch) { watch_ = watch; }

 private:
  struct End {
    SimHost* host;
    emulator::PathModel path;
    InterfaceId interface = 0;
    Instant wake = Instant::Never();  // the next pull already arranged
  };

  bool Pull(Side from);
  void WaitForIdle(End& end);
  void Send(Side from, const Packet& packet);
  // One packet of the wire; the verdict on it, and what that does to it.
  emulator::PathVerdict Offer(Side from, Bytes& piece);
  void Deliver(Side to, Bytes packet, const Offload& offload, Instant arrival);

  Simulation& simulation_;
  SimLinkConfig config_;
  WireChecks checks_;
  std::array<End, 2> ends_;
  Filter filter_;
  LinkWatch* watch_ = nullptr;
  PacketBatch batch_;
};

}  // namespace tcpip::sim

#endif  // TCPIP_TESTING_SIM_LINK_H_
