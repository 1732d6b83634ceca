// Two stacks to which everything happens: traffic of all kinds over a wire that
// loses, repeats, reorders and damages, links that change under way, small
// budgets, forged reports, mangled packets. What is delivered is what was sent
// and invariants hold at every step; once the wire is good, each connection
// that nothing has killed ends well, and no memory and no timer is left.
//
// A run is its seed, which is printed last before a failure; NETSTACK_SEED
// repeats it.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tcpip/base/bytes.h"
#include "tcpip/base/checksum.h"
#include "tcpip/base/rng.h"
#include "tcpip/base/time.h"
#include "tcpip/buffer/packet.h"
#include "tcpip/link/gro.h"
#include "tcpip/link/gso.h"
#include "tcpip/link/link.h"
#include "tcpip/stack/capture.h"
#include "tcpip/stack/config.h"
#include "tcpip/stack/stack.h"
#include "tcpip/stack/stack_fixture.h"
#include "tcpip/testing/pattern.h"
#include "tcpip/wire/address.h"
#include "tcpip/wire/ipv4.h"

namespace tcpip {
namespace {

constexpr uint16_t kUdpPort = 53;
constexpr uint16_t kTcpPort = 80;
constexpr size_t kMaxFlows = 12;
constexpr size_t kMaxSeen = 50;

// What the wire does to packets, in percent but for the MTU.
struct Wire {
  uint32_t path_mtu = 65535;  // what is larger is reported, and lost
  uint64_t loss = 0;
  uint64_t reorder = 0;
  uint64_t damage = 0;
};

// One way of a connection.
struct Way {
  explicit Way(uint64_t seed, uint64_t bytes) : pattern(seed), want(bytes) {}

  sim::Pattern pattern;
  uint64_t want;
  uint64_t sent = 0;
  uint64_t got = 0;
  bool fin = false;  // the sender has closed
  bool eof = false;  // the receiver has seen that, and all before it
};

// End k writes to way k and reads from the other; end 0 has dialled.
struct Flow {
  bool done() const { return dead || (ways[0].eof && ways[1].eof); }

  size_t dialler;
  uint16_t port;
  std::array<std::optional<SocketId>, 2> ends;
  std::array<Way, 2> ways;
  bool dead = false;  // reset, by the user or by a mangled packet
};

class HostileWorld {
 public:
  explicit HostileWorld(uint64_t seed) : rng_(seed) {
    const StackConfig config = RandomConfig();
    for (size_t i = 0; i < 2; ++i) {
      hosts_[i].emplace(
          2 * seed + i, InterfaceConfig{.name = "x"},
          i == 0 ? std::vector<std::string_view>{"10.0.0.1/24", "fd00::1/64"}
                 : std::vector<std::string_view>{"10.0.0.2/24", "fd00::2/64"},
          config);
      udp_[i] = stack(i).UdpOpen({.local = {IpAddress(), kUdpPort}}).value();
      listeners_[i] =
          stack(i).TcpListen({.local = {IpAddress(), kTcpPort}}).value();
    }
    if (Chance(30)) stack(0).SetTap(&capture_);
    ChangeLinks();
  }

  void Run(int steps) {
    for (int i = 0; i < steps; ++i) {
      Act();
      Step();
    }
    CalmDown();
    CloseAll();
    ExpectNothingLeft();
  }

 private:
  Host& host(size_t i) { return *hosts_[i]; }
  Stack& stack(size_t i) { return host(i).stack(); }
  uint64_t Below(uint64_t n) { return rng_.Next() % n; }
  bool Chance(uint64_t percent) { return Below(100) < percent; }
  template <typename T>
  T& OneOf(std::vector<T>& all) {
    return all[Below(all.size())];
  }
  static IpAddress AddressOf(size_t i, bool v4) {
    if (v4) return Ip(i == 0 ? "10.0.0.1" : "10.0.0.2");
    return Ip(i == 0 ? "fd00::1" : "fd00::2");
  }

  StackConfig RandomConfig() {
    StackConfig config;
    if (Chance(50)) config.memory_budget = size_t{1} << (20 + Below(4));
    if (Chance(50)) config.reassembly.max_datagrams = 8;
    if (Chance(50)) config.reassembly.max_bytes = 100'000;
    if (Chance(50)) config.max_control_packets = 4;
    return config;
  }

  // --- What happens.

  void Act() {
    const size_t i = Below(2);
    switch (Below(12)) {
      case 0:
      case 1:
      case 2:
        return SendDatagram(i);
      case 3:
        return Ping(i);
      case 4:
        if (Chance(30)) ChangeLinks();
        return;
      case 5:
      case 6:
        if (flows_.size() < kMaxFlows) Dial(i);
        return;
      case 7:
        return ChangeWire();
      case 8:
        return ForgeReport(i);
      case 9:
        return SendMangled(i);
      case 10:
        if (Chance(4)) AbortOne();
        return;
      default:
        return;
    }
  }

  // Its first eight bytes say what the others are.
  void SendDatagram(size_t i) {
    const uint64_t seed = rng_.Next();
    Bytes payload(8 + Below(Chance(80) ? 3'000 : 65'000));
    StoreBe32(&payload[0], static_cast<uint32_t>(seed >> 32));
    StoreBe32(&payload[4], static_cast<uint32_t>(seed));
    sim::Pattern(seed).Fill(0, MutableByteSpan(payload).subspan(8));
    const IpEndpoint to = {AddressOf(1 - i, Chance(50)), kUdpPort};
    stack(i).UdpSend(udp_[i], to, payload).IgnoreError();
  }

  void Ping(size_t i) {
    const auto echo = stack(i).EchoOpen(AddressOf(1 - i, Chance(50)));
    if (!echo.ok()) return;
    stack(i)
        .EchoSend(*echo, 1, Below(Chance(80) ? 3'000 : 65'000), now_)
        .IgnoreError();
    echoes_[i].push_back(*echo);
  }

  // Both ends of the wire are of one MTU, mostly.
  void ChangeLinks() {
    constexpr uint32_t kMtus[] = {1280, 1281, 1400, 1500, 9000, 65535, 600, 68};
    const uint32_t mtu = kMtus[Below(calm_ ? 6 : 8)];
    for (size_t i = 0; i < 2; ++i) {
      LinkCapabilities link = {.mtu = Chance(90) ? mtu : kMtus[Below(6)]};
      link.tx.checksum = Chance(50);
      if (link.tx.checksum && Chance(60)) link.tx = kAllOffloads;
      stack(i).SetCapabilities(host(i).link(), link, now_);
    }
  }

  void ChangeWire() {
    if (Chance(20)) wire_.loss = Below(30);
    if (Chance(20)) wire_.reorder = Below(30);
    if (Chance(20)) wire_.damage = Below(10);
    if (Chance(20)) {
      wire_.path_mtu =
          Chance(50) ? 65535 : static_cast<uint32_t>(576 + Below(1500));
    }
  }

  void Dial(size_t i) {
    const auto socket = stack(i).TcpConnect(
        {.remote = {AddressOf(1 - i, Chance(50)), kTcpPort}}, now_);
    if (!socket.ok()) return;
    const auto way = [this] {
      return Way(rng_.Next(), Below(Chance(70) ? 5'000 : 400'000));
    };
    flows_.push_back({.dialler = i,
                      .port = stack(i).GetTuple(*socket)->local.port,
                      .ends = {*socket, std::nullopt},
                      .ways = {way(), way()}});
  }

  void AbortOne() {
    if (flows_.empty()) return;
    Flow& flow = OneOf(flows_);
    if (!flow.dead) Kill(flow);
  }

  void ForgeReport(size_t i) {
    if (seen_.empty()) return;
    host(i).Receive(
        MakeTooBig(OneOf(seen_), static_cast<uint32_t>(Below(2'000))), now_);
  }

  // One bit differs, maybe the end is missing, and IPv4's header sum is right.
  void SendMangled(size_t i) {
    if (seen_.empty()) return;
    Bytes packet = OneOf(seen_);
    packet[Below(std::min<size_t>(packet.size(), 60))] ^= OneBit();
    if (Chance(30)) packet.resize(1 + Below(packet.size()));
    const size_t header = (packet[0] & 15) * size_t{4};
    if (packet[0] >> 4 == 4 && header >= wire::kIpv4HeaderSize &&
        header <= packet.size()) {
      StoreBe16(&packet[10], 0);
      StoreBe16(&packet[10],
                SumBytes(ByteSpan(packet).first(header)).Checksum());
    }
    host(i).Receive(packet, now_);
  }

  uint8_t OneBit() { return static_cast<uint8_t>(1 << Below(8)); }

  // --- A step of time.

  void Step() {
    AcceptAll();
    for (size_t i = 0; i < 2; ++i) ReadDatagrams(i);
    for (Flow& flow : flows_) Attend(flow);
    for (size_t i = 0; i < 2; ++i) {
      if (calm_ || Chance(80)) Leave(i);  // else the link is full
    }
    for (size_t i = 0; i < 2; ++i) Arrive(i, 1 + Below(64));
    now_ += Duration::Microseconds(static_cast<int64_t>(Below(3'000)));
    for (size_t i = 0; i < 2; ++i) {
      stack(i).OnTimers(now_);
      stack(i).CheckInvariants();
      while (stack(i).NextReady()) {
      }
    }
    capture_.Take();
  }

  // Packets onto the wire, cut and summed up as a link would.
  void Leave(size_t from) {
    PacketBatch batch;
    stack(from).DrainOutput(host(from).link(), batch, 1 + Below(64), now_);
    PacketBatch on_wire;
    for (Packet& packet : batch) {
      if (packet.offload().gso_type != GsoType::kNone) {
        SplitGso(packet, on_wire);
      } else {
        CompleteChecksum(packet);
        on_wire.push_back(std::move(packet));
      }
    }
    for (const Packet& packet : on_wire) Carry(from, Flatten(packet));
  }

  void Remember(const Bytes& packet) {
    if (seen_.size() < kMaxSeen) {
      seen_.push_back(packet);
    } else {
      OneOf(seen_) = packet;
    }
  }

  void Carry(size_t from, Bytes packet) {
    std::vector<Bytes>& flight = flight_[1 - from];
    const bool v4 = packet[0] >> 4 == 4;
    if (Chance(10)) Remember(packet);
    if (Chance(wire_.loss)) return;
    if (packet.size() > wire_.path_mtu && (!v4 || (packet[6] & 0x40) != 0)) {
      return host(from).Receive(MakeTooBig(packet, wire_.path_mtu), now_);
    }
    // A sum finds one bit, except in IPv6's header, which has none, and where
    // it makes UDP's field say that there is none.
    if (v4 && packet[9] != wire::kUdp && Chance(wire_.damage)) {
      packet[20 + Below(packet.size() - 20)] ^= OneBit();
    }
    flight.push_back(std::move(packet));
    if (Chance(5)) flight.push_back(Bytes(OneOf(flight)));
    if (Chance(wire_.reorder)) std::swap(flight.back(), OneOf(flight));
  }

  void Arrive(size_t at, size_t max) {
    std::vector<Bytes>& flight = flight_[at];
    const auto end = flight.begin() +
                     static_cast<std::ptrdiff_t>(std::min(flight.size(), max));
    PacketBatch batch;
    for (auto it = flight.begin(); it != end; ++it) {
      batch.push_back(Packet::Copy(host(at).pool(), *it));
      batch.back().set_ingress(now_);
    }
    flight.erase(flight.begin(), end);
    if (Chance(50)) gro_.Merge(batch, 0);
    stack(at).OnPackets(host(at).link(), batch, now_);
  }

  // --- What users do.

  void AcceptAll() {
    for (size_t i = 0; i < 2; ++i) {
      while (true) {
        const auto accepted = stack(i).TcpAccept(listeners_[i]);
        if (!accepted.ok()) break;
        const uint16_t port = stack(i).GetTuple(*accepted)->remote.port;
        const auto flow = std::find_if(
            flows_.begin(), flows_.end(), [i, port](const Flow& f) {
              return f.dialler != i && f.port == port && !f.ends[1] && !f.dead;
            });
        if (flow != flows_.end()) {
          flow->ends[1] = *accepted;
        } else {
          EXPECT_TRUE(stack(i).Abort(*accepted, now_).ok());
        }
      }
    }
  }

  void ReadDatagrams(size_t i) {
    while (true) {
      const auto datagram = stack(i).UdpRecv(udp_[i]);
      if (!datagram.ok() || !*datagram) return;
      const Bytes bytes = Flatten((*datagram)->payload);
      ASSERT_GE(bytes.size(), 8u);
      const sim::Pattern pattern(uint64_t{LoadBe32(&bytes[0])} << 32 |
                                 LoadBe32(&bytes[4]));
      ASSERT_EQ(pattern.Mismatch(0, ByteSpan(bytes).subspan(8)),
                bytes.size() - 8);
    }
  }

  Stack& StackOf(const Flow& flow, size_t end) {
    return stack(end == 0 ? flow.dialler : 1 - flow.dialler);
  }

  void Kill(Flow& flow) {
    flow.dead = true;
    for (size_t end = 0; end < 2; ++end) {
      if (flow.ends[end]) {
        EXPECT_TRUE(StackOf(flow, end)
                        .Abort(*std::exchange(flow.ends[end], {}), now_)
                        .ok());
      }
    }
  }

  void Attend(Flow& flow) {
    for (size_t end = 0; end < 2 && !flow.dead; ++end) {
      if (flow.ends[end]) Attend(flow, end);
    }
  }

  void Attend(Flow& flow, size_t end) {
    Stack& s = StackOf(flow, end);
    const SocketId id = *flow.ends[end];
    const tcp::Readiness ready = s.GetReadiness(id).value();
    if (ready.closed && *s.TcpGetError(id) != tcp::TcpError::kNone) {
      return Kill(flow);
    }
    if (!ready.connected) return;
    if (!ready.closed) Write(flow.ways[end], s, id);
    Read(flow.ways[1 - end], s, id);
  }

  void Write(Way& way, Stack& s, SocketId id) {
    if (way.fin) return;
    Bytes chunk(std::min<uint64_t>(way.want - way.sent, 30'000));
    way.pattern.Fill(way.sent, chunk);
    way.sent += s.TcpSendCopy(id, chunk, now_).value();
    if (way.sent < way.want) return;
    EXPECT_TRUE(s.TcpCloseWrite(id, now_).ok());
    way.fin = true;
  }

  void Read(Way& way, Stack& s, SocketId id) {
    const Bytes bytes = Flatten(*s.TcpRecv(id, 1 + Below(100'000), now_));
    ASSERT_EQ(way.pattern.Mismatch(way.got, bytes), way.got + bytes.size());
    way.got += bytes.size();
    const tcp::Readiness ready = s.GetReadiness(id).value();
    way.eof = way.got == way.want && (ready.read_closed || ready.closed);
  }

  // --- The end.

  void SkipIdleTime() {
    if (!flight_[0].empty() || !flight_[1].empty()) return;
    Instant next = Instant::Never();
    for (size_t i = 0; i < 2; ++i) {
      if (stack(i).HasOutput(host(i).link())) return;
      next = std::min(next, stack(i).NextDeadline());
    }
    if (!next.IsNever()) now_ = std::max(now_, next);
  }

  void CalmDown() {
    calm_ = true;
    wire_ = {};
    ChangeLinks();
    const auto all_done = [this] {
      return std::all_of(flows_.begin(), flows_.end(),
                         [](const Flow& flow) { return flow.done(); });
    };
    for (int i = 0; i < 300'000 && !all_done(); ++i) {
      Step();
      SkipIdleTime();
    }
    for (const Flow& flow : flows_) {
      EXPECT_TRUE(flow.done())
          << "stuck: there " << flow.ways[0].sent << " sent, "
          << flow.ways[0].got << " got of " << flow.ways[0].want << "; back "
          << flow.ways[1].sent << " sent, " << flow.ways[1].got << " got of "
          << flow.ways[1].want;
    }
  }

  void CloseAll() {
    for (Flow& flow : flows_) {
      for (size_t end = 0; end < 2; ++end) {
        if (flow.ends[end]) {
          EXPECT_TRUE(StackOf(flow, end).Close(*flow.ends[end], now_).ok());
        }
      }
    }
    flows_.clear();
    for (size_t i = 0; i < 2; ++i) {
      for (const SocketId echo : echoes_[i]) {
        EXPECT_TRUE(stack(i).Close(echo, now_).ok());
      }
      EXPECT_TRUE(stack(i).Close(udp_[i], now_).ok());
      EXPECT_TRUE(stack(i).Close(listeners_[i], now_).ok());
    }
  }

  void ExpectNothingLeft() {
    for (int i = 0; i < 20'000; ++i) {
      for (size_t at = 0; at < 2; ++at) {
        Leave(at);
        Arrive(at, SIZE_MAX);
      }
      SkipIdleTime();
      for (size_t at = 0; at < 2; ++at) stack(at).OnTimers(now_);
    }
    for (size_t i = 0; i < 2; ++i) {
      EXPECT_TRUE(stack(i).NextDeadline().IsNever());
      EXPECT_EQ(stack(i).Stats().sockets, 0u);
      EXPECT_EQ(host(i).pool().stats().live, 0u);
    }
  }

  SeededRng rng_;
  Capture capture_{{.interfaces = {"x"}}};
  std::array<std::optional<Host>, 2> hosts_;
  Gro gro_;
  Instant now_ = kTestStart;
  std::array<SocketId, 2> udp_;
  std::array<SocketId, 2> listeners_;
  std::array<std::vector<SocketId>, 2> echoes_;
  std::vector<Flow> flows_;
  Wire wire_;
  std::array<std::vector<Bytes>, 2> flight_;  // towards each
  std::vector<Bytes> seen_;                   // some that have left
  bool calm_ = false;
};

// [fault O01] [fault L14] [fault X12] [fault X19] [fault S24]
TEST(HostileRandom, WhatIsDeliveredWasSentAndNothingIsLeft) {
  uint64_t first = 1;
  uint64_t last = std::getenv("NETSTACK_LONG_TESTS") != nullptr ? 200 : 8;
  if (const char* const seed = std::getenv("NETSTACK_SEED")) {
    first = last = std::strtoull(seed, nullptr, 10);
  }
  for (uint64_t seed = first; seed <= last && !HasFailure(); ++seed) {
    std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
    std::fflush(stdout);  // should an invariant end it all
    HostileWorld(seed).Run(1'500);
  }
}

}  // namespace
}  // namespace tcpip
