#include "tcpip/stack/group_member.h"

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tcpip/stack/stack.h"
#include "tcpip/stack/stack_fixture.h"
#include "tcpip/stack/steering.h"
#include "tcpip/testing/packet_builder.h"
#include "tcpip/wire/icmp.h"
#include "tcpip/wire/ipv4.h"

namespace tcpip {
namespace {

using wire::TcpFlags;

constexpr SipHashKey kKey = {1, 2};
const IpAddress kOwn = Ip("10.0.0.2");
const IpAddress kPeer = Ip("10.0.0.1");

StackConfig ConfigOf(uint32_t index) {
  return {.steering = Steering(index, 2, kKey)};
}

// Two stacks of one address, the shards of a group, whose packets the test
// delivers.
class GroupMemberTest : public testing::Test {
 protected:
  // The first port from `first` on that is, as seen from the peer, one of a
  // flow of shard `owner`.
  uint16_t PeerPortOf(uint32_t owner, uint16_t first = 4000) const {
    while (steering_.OwnerOfTcp({{kOwn, 80}, {kPeer, first}}) != owner) ++first;
    return first;
  }
  uint16_t PortOf(uint32_t owner, uint16_t first = 4000) const {
    while (steering_.OwnerOfPort(first) != owner) ++first;
    return first;
  }
  Bytes SynFrom(uint16_t port) const {
    return MakeTcp({{kPeer, port}, {kOwn, 80}},
                   {.seq = 1, .flags = TcpFlags::kSyn, .options = {}});
  }

  // Takes what shard `index` has for others, who have room for it.
  std::vector<HandedOverPacket> HandOverFrom(size_t index) {
    std::vector<HandedOverPacket> packets;
    GroupMember& group = shards_[index].stack().group();
    group.TakeHandedOver(packets);
    for (size_t i = 0; i < packets.size(); ++i) group.OnHandedOver();
    ExpectGrown(index);
    return packets;
  }
  // No counter of shard `index` is less than it was when this was called last.
  void ExpectGrown(size_t index) {
    const StackStats now = shards_[index].stack().Stats();
    StackStats& before = before_[index];
    EXPECT_GE(now.ip_in, before.ip_in);
    EXPECT_GE(now.ip_in_bytes, before.ip_in_bytes);
    EXPECT_GE(now.packets_handed_over, before.packets_handed_over);
    EXPECT_GE(now.Dropped(DropReason::kOwnerQueueFull),
              before.Dropped(DropReason::kOwnerQueueFull));
    before = now;
  }

  // Shard 0 says nothing to the packet and has it, whole, for shard 1.
  void ExpectHandedOver(const Bytes& packet) {
    EXPECT_TRUE(zero().Exchange(packet).empty());
    const std::vector<HandedOverPacket> handed_over = HandOverFrom(0);
    ASSERT_EQ(handed_over.size(), 1u);
    EXPECT_EQ(handed_over[0].owner, 1u);
    EXPECT_EQ(handed_over[0].ingress, zero().link());
    EXPECT_EQ(handed_over[0].packet.ingress(), kTestStart);
    EXPECT_EQ(Flatten(handed_over[0].packet), packet);
    const StackStats stats = zero().stack().Stats();
    EXPECT_EQ(stats.packets_handed_over, 1u);
    EXPECT_EQ(stats.ip_in, 0u);
    EXPECT_EQ(stats.ip_in_bytes, 0u);
  }

  Host& zero() { return shards_[0]; }
  Host& one() { return shards_[1]; }

  const Steering steering_{0, 2, kKey};
  std::array<Host, 2> shards_ = {
      Host(1, {.name = "x"}, {"10.0.0.2/24"}, ConfigOf(0)),
      Host(2, {.name = "x"}, {"10.0.0.2/24"}, ConfigOf(1))};
  std::array<StackStats, 2> before_ = {};
};

TEST_F(GroupMemberTest, TheOwnerAnswersASynWhereverItComesIn) {
  for (Host& host : shards_) {
    ASSERT_TRUE(host.stack().TcpListen({.local = {kOwn, 80}}).ok());
  }
  const Bytes syn = SynFrom(PeerPortOf(1));
  ExpectHandedOver(syn);
  const std::vector<Bytes> answer = one().Exchange(syn);
  ASSERT_EQ(answer.size(), 1u);
  EXPECT_EQ(Open(answer[0]).Tcp().flags.ToString(), "S.");
  // And its own it takes.
  EXPECT_EQ(zero().Exchange(SynFrom(PeerPortOf(0))).size(), 1u);
}

// [fault I06] made whole by the owner of fragments, heard at the owner of the
// port, and nowhere else
TEST_F(GroupMemberTest, FragmentsMeetInOneShardAndTheWholeGoesToItsOwner) {
  const uint32_t meets = steering_.OwnerOfFragments(kPeer, kOwn);
  const uint32_t hears = 1 - meets;
  const IpEndpoint own = {kOwn, PortOf(hears)};
  const SocketId socket =
      shards_[hears].stack().UdpOpen({.local = own}).value();
  const std::vector<Bytes> parts =
      sim::Cut(MakeUdp({{kPeer, 9}, own}, Bytes(5'000, 7)), 1480, 1);
  ASSERT_EQ(parts.size(), 4u);
  for (size_t i = 0; i < parts.size(); ++i) {
    shards_[i % 2].Receive(parts[i]);
  }
  std::vector<HandedOverPacket> handed_over = HandOverFrom(hears);
  ASSERT_EQ(handed_over.size(), 2u);
  for (const HandedOverPacket& part : handed_over) {
    EXPECT_EQ(part.owner, meets);
    ExpectGrown(meets);
    shards_[meets].Receive(Flatten(part.packet));
  }
  handed_over = HandOverFrom(meets);
  ASSERT_EQ(handed_over.size(), 1u);
  EXPECT_EQ(handed_over[0].owner, hears);
  shards_[hears].Receive(Flatten(handed_over[0].packet));
  EXPECT_EQ(Flatten(shards_[hears].stack().UdpRecv(socket).value()->payload),
            Bytes(5'000, 7));
  EXPECT_TRUE(HandOverFrom(hears).empty());
  // Each is counted where it stayed.
  EXPECT_EQ(before_[0].ip_in + before_[1].ip_in, parts.size());
}

TEST_F(GroupMemberTest, OnlyTheOwnerResetsWhatNobodyListensTo) {
  const Bytes syn = SynFrom(PeerPortOf(1));
  ExpectHandedOver(syn);
  EXPECT_EQ(one().Exchange(syn).size(), 1u);
}

TEST_F(GroupMemberTest, ASegmentWithItsPayloadIsHandedOverWhole) {
  ExpectHandedOver(MakeTcp({{kPeer, PeerPortOf(1)}, {kOwn, 80}},
                           {.seq = 1, .flags = TcpFlags::kAck, .options = {}},
                           Bytes(20'000, 7)));
}

TEST_F(GroupMemberTest, DatagramsGoToTheOwnerOfTheirPort) {
  const FourTuple flow = {{kPeer, 9}, {kOwn, PortOf(1)}};
  ExpectHandedOver(MakeUdp(flow, Bytes(5'000, 7)));
}

// What follows the datagram within its IP packet is not verified, and goes
// along all the same: the IP header counts it.
TEST_F(GroupMemberTest, ADatagramWithPaddingIsHandedOverWhole) {
  const FourTuple flow = {{kPeer, 9}, {kOwn, PortOf(1)}};
  Bytes transport = Open(MakeUdp(flow, Bytes(5'000, 7))).transport;
  transport.resize(transport.size() + 100);
  ExpectHandedOver(MakeIp({kPeer, kOwn, wire::kUdp}, transport));
}

TEST_F(GroupMemberTest, APortNobodyHearsIsUnreachableAtItsOwnerOnly) {
  EXPECT_EQ(
      zero().Exchange(MakeUdp({{kPeer, 9}, {kOwn, PortOf(0)}}, {})).size(), 1u);
  EXPECT_EQ(zero().Dropped(DropReason::kUdpNoSocket), 1u);
}

TEST_F(GroupMemberTest, EchoRepliesGoToTheOwnerOfTheirIdentifier) {
  ExpectHandedOver(MakeIcmp({kPeer, kOwn, 1}, 0, uint32_t{PortOf(1)} << 16 | 1,
                            ToBytes("ping")));
}

// [fault I11] where the answer may draw a packet too big, that shard hears it
TEST_F(GroupMemberTest, LargeEchoRequestsAndWhatQuotesTheirRepliesMeet) {
  const uint32_t word = uint32_t{PortOf(1)} << 16 | 1;
  const Bytes request = MakeIcmp({kPeer, kOwn, 1}, 8, word, Bytes(1400));
  ExpectHandedOver(request);
  const std::vector<Bytes> reply = one().Exchange(request);
  ASSERT_EQ(reply.size(), 1u);
  const Bytes too_big = MakeTooBig(reply[0], 1300);
  zero().Receive(too_big);
  ASSERT_EQ(HandOverFrom(0).size(), 1u);
  one().Receive(too_big);
  EXPECT_EQ(one().Exchange(request).size(), 2u);
}

TEST_F(GroupMemberTest, AnyShardAnswersEchoRequests) {
  for (Host& host : shards_) {
    EXPECT_EQ(
        host.Exchange(MakeIcmp({kPeer, kOwn, 1}, 8, 0x12340001, {})).size(),
        1u);
  }
}

TEST_F(GroupMemberTest, IcmpErrorsGoToTheOwnerOfWhatTheyQuote) {
  const Bytes quoted = MakeTcp({{kOwn, 80}, {kPeer, PeerPortOf(1)}},
                               {.seq = 1, .flags = {}, .options = {}});
  ExpectHandedOver(MakeIcmp({kPeer, kOwn, 1}, 3, 0, quoted));
}

TEST_F(GroupMemberTest, IcmpErrorsAboutDatagramsToo) {
  const Bytes quoted = MakeUdp({{kOwn, PortOf(1)}, {kPeer, 9}}, {});
  ExpectHandedOver(MakeIcmp({kPeer, kOwn, 1}, 3, 0, quoted));
}

// Two stacks that disagree would send packets to and fro.
TEST_F(GroupMemberTest, NothingIsSetAsideByItsOwner) {
  for (uint16_t port = 4000; port < 4100; ++port) {
    zero().Exchange(SynFrom(port));
    zero().Exchange(MakeUdp({{kPeer, 9}, {kOwn, port}}, {}));
  }
  const std::vector<HandedOverPacket> handed_over = HandOverFrom(0);
  ASSERT_GT(handed_over.size(), 50u);
  for (const HandedOverPacket& packet : handed_over) {
    one().Receive(Flatten(packet.packet));
  }
  EXPECT_TRUE(HandOverFrom(1).empty());
}

TEST_F(GroupMemberTest, ADroppedOneIsCountedWhereItCameIn) {
  const Bytes syn = SynFrom(PeerPortOf(1));
  zero().Receive(syn);
  ExpectGrown(0);
  std::vector<HandedOverPacket> handed_over;
  zero().stack().group().TakeHandedOver(handed_over);
  ASSERT_EQ(handed_over.size(), 1u);
  ExpectGrown(0);
  zero().stack().group().OnOwnerFull(handed_over[0]);
  ExpectGrown(0);
  const StackStats stats = zero().stack().Stats();
  EXPECT_EQ(stats.Dropped(DropReason::kOwnerQueueFull), 1u);
  EXPECT_EQ(stats.ip_in, 1u);
  EXPECT_EQ(stats.ip_in_bytes, syn.size());
  EXPECT_EQ(stats.packets_handed_over, 0u);
}

TEST_F(GroupMemberTest, DialsLeaveFromPortsThatMakeThemTheShardsOwn) {
  for (Host& host : shards_) {
    Stack& stack = host.stack();
    for (int i = 0; i < 50; ++i) {
      const SocketId id =
          stack.TcpConnect({.remote = {kPeer, 80}}, kTestStart).value();
      EXPECT_EQ(id.shard(), stack.group().steering().index());
      EXPECT_TRUE(stack.group().steering().OwnsTcp(*stack.GetTuple(id)));
    }
    stack.CheckInvariants();
  }
}

TEST_F(GroupMemberTest, ADialFromAGivenPortIsItsOwnersAlone) {
  for (uint16_t port = 5000; port < 5020; ++port) {
    TcpConnectOptions options = {.remote = {kPeer, 80},
                                 .local = IpEndpoint{Ip("0.0.0.0"), port}};
    const Dialer dialer = zero().stack().OwnerOfDial(options).value();
    const uint32_t owner = dialer.owner;
    EXPECT_EQ(dialer.local, (IpEndpoint{kOwn, port}));
    EXPECT_EQ(owner, steering_.OwnerOfTcp({*dialer.local, options.remote}));
    EXPECT_EQ(shards_[1 - owner]
                  .stack()
                  .TcpConnect(options, kTestStart)
                  .status()
                  .code(),
              absl::StatusCode::kFailedPrecondition);
    EXPECT_TRUE(shards_[owner].stack().TcpConnect(options, kTestStart).ok());
  }
}

TEST_F(GroupMemberTest, SocketsWithoutConnectionsGetPortsOfTheShard) {
  for (Host& host : shards_) {
    Stack& stack = host.stack();
    for (int i = 0; i < 20; ++i) {
      for (const SocketId id : {stack.UdpOpen({.local = {kOwn, 0}}).value(),
                                stack.EchoOpen(kPeer).value()}) {
        EXPECT_TRUE(
            stack.group().steering().OwnsPort(stack.GetTuple(id)->local.port));
      }
    }
  }
  EXPECT_EQ(
      zero().stack().UdpOpen({.local = {kOwn, PortOf(1)}}).status().code(),
      absl::StatusCode::kFailedPrecondition);
  EXPECT_TRUE(one().stack().UdpOpen({.local = {kOwn, PortOf(1)}}).ok());
}

}  // namespace
}  // namespace tcpip
