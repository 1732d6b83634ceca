#include "tcpip/stack/packet_watch.h"

#include <algorithm>
#include <functional>
#include <vector>

#include "gtest/gtest.h"
#include "tcpip/stack/stack_fixture.h"
#include "tcpip/testing/packet_builder.h"
#include "tcpip/wire/address.h"
#include "tcpip/wire/tcp.h"

namespace tcpip {
namespace {

// Keeps what it is shown.
class Recorder final : public PacketTap {
 public:
  struct Drop {
    Bytes packet;
    DropReason reason;
  };
  void OnPacketIn(InterfaceId, const Packet& packet, Instant) override {
    in.push_back(Flatten(packet));
    largest_in = std::max<size_t>(largest_in, packet.size());
    gso_in += packet.offload().gso_size != 0;
  }
  void OnPacketOut(InterfaceId, const Packet& packet, Instant) override {
    out.push_back(Flatten(packet));
    gso_out += packet.offload().gso_size != 0;
  }
  void OnDrop(InterfaceId, const Packet& packet, DropReason reason,
              Instant) override {
    drops.push_back({Flatten(packet), reason});
  }

  std::vector<Bytes> in;
  std::vector<Bytes> out;
  std::vector<Drop> drops;
  size_t largest_in = 0;
  int gso_in = 0;
  int gso_out = 0;
};

const FourTuple kFlow = {.local = {Ip("10.0.0.9"), 1000},
                         .remote = {Ip("10.0.0.1"), 2000}};

Bytes Syn() {
  return MakeTcp(kFlow, {.flags = wire::TcpFlags::kSyn, .options = {}});
}

// What a tap sees whole at each layer, whatever was trimmed until then.
struct DropCase {
  const char* name;
  Bytes packet;
  DropReason reason;
};

class DropIsSeen : public testing::TestWithParam<DropCase> {};

TEST_P(DropIsSeen, WithItsWholePacketAndReason) {
  Host host(1, {.name = "link0"}, {"10.0.0.1/24"});
  Recorder tap;
  host.stack().SetTap(&tap);
  host.Receive(GetParam().packet);
  EXPECT_EQ(tap.in, std::vector<Bytes>{GetParam().packet});
  ASSERT_EQ(tap.drops.size(), 1u);
  EXPECT_EQ(tap.drops[0].packet, GetParam().packet);
  EXPECT_EQ(tap.drops[0].reason, GetParam().reason);
  EXPECT_EQ(host.Dropped(GetParam().reason), 1u);
}

Bytes With(Bytes packet, const std::function<void(Bytes&)>& change) {
  change(packet);
  return packet;
}

const DropCase kDropCases[] = {
    {"IpChecksum", With(Syn(), [](Bytes& p) { p[10] ^= 1; }),
     DropReason::kIpBadChecksum},
    {"TcpChecksum", With(Syn(), [](Bytes& p) { p.back() ^= 1; }),
     DropReason::kTcpBadChecksum},
    {"NoSocket", Syn(), DropReason::kTcpNoSocket},
    {"NoUdpSocket", MakeUdp(kFlow, {1, 2, 3}), DropReason::kUdpNoSocket},
    {"NotOurs",
     MakeUdp({.local = kFlow.local, .remote = {Ip("10.0.0.7"), 1}}, {}),
     DropReason::kIpNotOurs},
    {"Protocol",
     MakeIp({.source = kFlow.local.address,
             .destination = kFlow.remote.address,
             .protocol = 200},
            {1, 2, 3}),
     DropReason::kIpUnknownProtocol},
    {"Nothing", {0}, DropReason::kIpBadVersion},  // [fault L10]
};
INSTANTIATE_TEST_SUITE_P(Reasons, DropIsSeen, testing::ValuesIn(kDropCases),
                         [](const auto& info) { return info.param.name; });

TEST(PacketWatch, WhatLeavesIsSeen) {
  Host host(1, {.name = "link0"}, {"10.0.0.1/24"});
  Recorder tap;
  host.stack().SetTap(&tap);
  const std::vector<Bytes> out = host.Exchange(Syn());
  ASSERT_EQ(out.size(), 1u);  // a RST
  EXPECT_EQ(tap.out, out);
}

// It was seen when it came in; nobody else is blamed for its end. The one that
// is in conflict with it is dropped itself.
TEST(PacketWatch, AFragmentThatIsGivenUpLaterIsOnlyCounted) {
  Host host(1, {.name = "link0"}, {"10.0.0.1/24"});
  Recorder tap;
  host.stack().SetTap(&tap);
  const Bytes whole = MakeUdp(kFlow, Bytes(100, 7));
  const Bytes late = sim::Cut(whole, 64, 1)[0];
  host.Receive(late);
  const Bytes held = sim::Cut(whole, 64, 2)[0];
  Bytes other = held;
  other.back() ^= 1;
  host.Receive(held);
  host.Receive(other);
  EXPECT_EQ(tap.in, (std::vector<Bytes>{late, held, other}));
  ASSERT_EQ(tap.drops.size(), 1u);
  EXPECT_EQ(tap.drops[0].packet, other);
  EXPECT_EQ(tap.drops[0].reason, DropReason::kIpFragmentOverlap);
  EXPECT_EQ(host.Dropped(DropReason::kIpFragmentOverlap), 2u);
  host.stack().OnTimers(kTestStart + Duration::Seconds(30));
  EXPECT_EQ(host.Dropped(DropReason::kIpReassemblyTimeout), 1u);
  EXPECT_EQ(tap.drops.size(), 1u);
}

// [fault L06] a capture gets super-segments whole, with their facts
TEST(PacketWatch, SuperSegmentsAreSeenWhole) {
  StackPair pair(
      {.name = "link0", .link = {.tx = {.checksum = true, .tso4 = true}}});
  Recorder a;
  Recorder b;
  pair.a().stack().SetTap(&a);
  pair.b().stack().SetTap(&b);
  const IpEndpoint server = {Ip("10.0.0.2"), 80};
  const SocketId listener = *pair.b().stack().TcpListen({.local = server});
  const StackPair::Ends ends = pair.Connect(listener, server);
  const Bytes data(1 << 20, 'x');
  size_t received = 0;
  size_t sent = 0;
  EXPECT_TRUE(pair.RunUntil([&] {
    sent += *pair.a().stack().TcpSendCopy(
        ends.client, ByteSpan(data).subspan(sent), pair.now());
    received +=
        pair.b().stack().TcpRecv(ends.server, 1 << 20, pair.now())->size();
    return received == data.size();
  }));
  EXPECT_GT(a.gso_out, 0);
  EXPECT_GT(b.gso_in, 0);
  EXPECT_GT(b.largest_in, 60'000u);
}

TEST(PacketWatch, WithoutATapNothingIsShownAndAllIsCounted) {
  Host host(1, {.name = "link0"}, {"10.0.0.1/24"});
  Recorder tap;
  host.stack().SetTap(&tap);
  host.stack().SetTap(nullptr);
  host.Receive(Syn());
  EXPECT_TRUE(tap.in.empty() && tap.drops.empty());
  EXPECT_EQ(host.Dropped(DropReason::kTcpNoSocket), 1u);
}

// A drop that belongs to no packet, such as a full queue on a timer.
TEST(PacketWatch, DropsBetweenPacketsAreNotShown) {
  PacketWatch watch;
  Recorder tap;
  watch.set_tap(&tap);
  watch.OnDrop(DropReason::kNoRoute);
  EXPECT_TRUE(tap.drops.empty());
}

}  // namespace
}  // namespace tcpip
