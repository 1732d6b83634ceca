// For the tests of this folder: packets by hand, one stack with its memory,
// and two stacks joined by a wire in virtual time.
//
// Packets are made and read by the wire formats and the test kit's checksum,
// never by the code under test.
#ifndef TCPIP_STACK_STACK_FIXTURE_H_
#define TCPIP_STACK_STACK_FIXTURE_H_

#include <cstdint>
#include <deque>
#include <functional>
#include <string_view>
#include <vector>

#include "tcpip/base/rng.h"
#include "tcpip/base/time.h"
#include "tcpip/buffer/packet.h"
#include "tcpip/buffer/slab.h"
#include "tcpip/stack/config.h"
#include "tcpip/stack/stack.h"
#include "tcpip/testing/packet_reader.h"
#include "tcpip/wire/address.h"
#include "tcpip/wire/tcp.h"

namespace tcpip {

using sim::Bytes;
using sim::Flatten;

inline IpAddress Ip(std::string_view text) {
  return IpAddress::Parse(text).value();
}
inline Cidr Net(std::string_view text) { return Cidr::Parse(text).value(); }
Bytes ToBytes(std::string_view text);

// --- Packets by hand, all checksums right.
struct IpFields {
  IpAddress source;
  IpAddress destination;
  uint8_t protocol = 0;
  uint8_t tos = 0;
  uint8_t ttl = 64;
  Bytes options = {};  // IPv4 only
};
Bytes MakeIp(const IpFields& ip, const Bytes& transport);
// `from` is the flow as the sender sees it.
Bytes MakeTcp(const FourTuple& from, wire::TcpHeader header,
              const Bytes& payload = {});
Bytes MakeUdp(const FourTuple& from, const Bytes& payload);
// Type, code and four bytes, then `payload`.
Bytes MakeIcmp(const IpFields& ip, uint8_t type, uint32_t word,
               const Bytes& payload, uint8_t code = 0);
// What a router in the way says of `packet`: its link takes `mtu` bytes.
Bytes MakeTooBig(const Bytes& packet, uint32_t mtu);

// An IP packet taken apart; aborts the test when its headers do not parse.
struct Opened {
  IpFields ip;
  Bytes transport;
  bool transport_checksum_good = false;  // or UDP over IPv4 without one

  wire::TcpHeader Tcp() const;  // its options look into `transport`
  Bytes TcpPayload() const;
};
Opened Open(const Bytes& packet);

// The transport bytes of a packet that left in fragments, in their order.
// Aborts the test when these are not all parts of one packet.
Bytes Reassemble(const std::vector<Bytes>& fragments);

// --- Stacks.
inline constexpr Instant kTestStart = Instant::FromNanoseconds(1'000'000'000);

// A stack on one interface, "link0".
class Host {
 public:
  Host(uint64_t seed, const InterfaceConfig& interface,
       const std::vector<std::string_view>& addresses,
       const StackConfig& config = {});

  // Hands in one packet, and collects what comes out until nothing does.
  void Receive(const Bytes& packet, Instant now = kTestStart);
  std::vector<Bytes> Drain(Instant now = kTestStart);
  std::vector<Bytes> Exchange(const Bytes& packet, Instant now = kTestStart) {
    Receive(packet, now);
    return Drain(now);
  }

  SlabPool& pool() { return pool_; }
  Stack& stack() { return stack_; }
  InterfaceId link() const { return link_; }
  uint64_t Dropped(DropReason reason) const {
    return stack_.Stats().Dropped(reason);
  }

 private:
  SlabPool pool_{0};  // blocks go back at once: sanitizers see stale uses
  SeededRng rng_;
  Stack stack_;
  InterfaceId link_;
};

// Hosts a (10.0.0.1, 2001:db8::1) and b (10.0.0.2, 2001:db8::2) on a wire
// with a delay. Invariants of both are checked after every step.
class StackPair {
 public:
  explicit StackPair(const InterfaceConfig& interface,
                     const StackConfig& config = {});

  Host& a() { return a_; }
  Host& b() { return b_; }
  Instant now() const { return now_; }
  void set_delay(Duration delay) { delay_ = delay; }
  // Sees every packet; false loses it.
  void set_filter(std::function<bool(const Packet&)> filter) {
    filter_ = std::move(filter);
  }

  void RunFor(Duration duration);
  // Until `done` holds; false when nothing is left to happen within 10 min.
  bool RunUntil(const std::function<bool()>& done);

  // Opens a connection from a to a listener of b, both established.
  struct Ends {
    SocketId client;
    SocketId server;
  };
  Ends Connect(SocketId listener, const IpEndpoint& remote);

 private:
  struct InFlight {
    Instant due;
    Host* to;
    Packet packet;
  };
  void Collect(Host& from, Host& to);
  // The next thing that happens, if it is not after `limit`.
  bool Step(Instant limit);

  Host a_;
  Host b_;
  Instant now_ = kTestStart;
  Duration delay_ = Duration::Milliseconds(5);
  std::function<bool(const Packet&)> filter_;
  std::deque<InFlight> in_flight_;
  PacketBatch batch_;
};

}  // namespace tcpip

#endif  // TCPIP_STACK_STACK_FIXTURE_H_
