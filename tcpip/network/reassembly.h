// Reassembly: fragments in, packets out, of both families. RFC 791 3.2,
// RFC 815, RFC 1122 3.3.2, RFC 8200 4.5, RFC 5722, RFC 6946.
//
// Which fragments belong together, how long they are waited for, and what all
// of them may cost: bytes, datagrams, datagrams of one source, fragments of
// one datagram. At a limit the oldest go, since those that are waited for
// longest are least likely to be completed. [fault X19] PartialDatagram knows
// how the fragments of one packet fit.
//
// A datagram in conflict with itself stays until its time is over, without
// its bytes, so that what is still on the way is dropped, too. [RFC 5722 4]
//
// Called by the stack, whose job it is to answer and to arm a timer. A packet
// made whole has to pass the input checks as any other.
#ifndef TCPIP_NETWORK_REASSEMBLY_H_
#define TCPIP_NETWORK_REASSEMBLY_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "tcpip/base/intrusive_list.h"
#include "tcpip/base/rng.h"
#include "tcpip/base/siphash.h"
#include "tcpip/base/time.h"
#include "tcpip/buffer/packet.h"
#include "tcpip/buffer/slab.h"
#include "tcpip/network/drop_reason.h"
#include "tcpip/network/ip_facts.h"
#include "tcpip/wire/address.h"

namespace tcpip::ip {

struct ReassemblyConfig {
  // Memory that fragments keep alive, and what holds them together.
  size_t max_bytes = size_t{4} << 20;
  uint32_t max_datagrams = 1024;  // 0: no fragment is taken
  uint32_t max_datagrams_per_source = 64;
  // Of one datagram. Enough for 65,535 bytes in fragments of a link with an
  // MTU of 552 (124), and for 1,500 bytes, which every host must take, in
  // fragments of 8 bytes (186). [RFC 8200 5]
  uint32_t max_fragments = 256;
  // From the first fragment to arrive to the last. [RFC 8200 4.5] 60 s;
  // [RFC 1122 3.3.2] not followed: 30 s as Linux, see exceptions.
  Duration ipv4_timeout = Duration::Seconds(30);
  Duration ipv6_timeout = Duration::Seconds(60);
};

class Reassembly {
 public:
  // Draws the key of its hash.
  Reassembly(const ReassemblyConfig& config, SlabPool& pool, Rng& rng);
  ~Reassembly();

  // A packet that is whole now, or why the fragment was not kept; neither when
  // it waits for others.
  struct Outcome {
    std::optional<Packet> whole = std::nullopt;
    std::optional<DropReason> drop = std::nullopt;
  };
  // `packet` has passed the input checks, is trimmed to ip.size and starts
  // with its IP header.
  Outcome OnFragment(Packet packet, const InboundIp& ip,
                     const FragmentFacts& fragment, Instant now);

  // The oldest datagram whose time is over, or nullopt. `first` is the start
  // of its first fragment, empty where that has not come.
  struct Expired {
    Packet first;
    InboundIp ip;
  };
  std::optional<Expired> PopExpired(Instant now);
  Instant NextDeadline() const;

  size_t datagrams() const { return datagrams_.size(); }
  size_t charged_bytes() const { return charged_; }
  // Datagrams given up, for whatever reason: ipReasmFails of RFC 4293.
  uint64_t fails() const { return fails_; }
  // Fragments that were kept, and dropped later.
  const DropCounts& dropped() const { return dropped_; }

  // Aborts with a message when the accounts are wrong. For tests.
  void CheckInvariants() const;

 private:
  struct Key {
    IpAddress source;
    IpAddress destination;
    uint32_t id = 0;
    uint8_t protocol = 0;  // IPv4 only

    friend bool operator==(const Key&, const Key&) = default;
  };
  struct KeyHash {
    SipHashKey key;
    size_t operator()(const Key& k) const;
    size_t operator()(const IpAddress& a) const;
  };
  struct Datagram;
  struct Source;
  using Ages = IntrusiveList<Datagram>;

  Datagram& FindOrStart(const InboundIp& ip, const FragmentFacts& fragment,
                        Instant now);
  Datagram& Start(const Key& key, Instant now);
  Source& SourceFor(const IpAddress& address);
  Outcome Finish(Datagram& datagram, Instant ingress);
  // The datagram cannot be trusted, nor what comes of it later.
  Outcome Condemn(Datagram& datagram, DropReason why);
  // The datagram goes, with the fragment that was just added.
  Outcome Abandon(Datagram& datagram, DropReason why);
  // Forgets what it holds, of which `fragments` are counted as dropped.
  void DropHeld(Datagram& datagram, DropReason why, uint32_t fragments);
  void Evict(Datagram& datagram);
  void Erase(Datagram& datagram);
  Datagram& Oldest();

  const ReassemblyConfig config_;
  SlabPool& pool_;
  absl::flat_hash_map<Key, std::unique_ptr<Datagram>, KeyHash> datagrams_;
  absl::flat_hash_map<IpAddress, std::unique_ptr<Source>, KeyHash> sources_;
  // By family: within one, all live equally long.
  std::array<Ages, 2> by_age_;
  // Emptied, for the next: nothing is allocated once there were enough.
  std::vector<std::unique_ptr<Datagram>> spare_datagrams_;
  std::vector<std::unique_ptr<Source>> spare_sources_;
  size_t charged_ = 0;
  uint64_t fails_ = 0;
  DropCounts dropped_ = {};
};

}  // namespace tcpip::ip

#endif  // TCPIP_NETWORK_REASSEMBLY_H_
