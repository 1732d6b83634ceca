// Fragments that come in, up to the sockets and the errors that answer them.
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tcpip/base/bytes.h"
#include "tcpip/base/checksum.h"
#include "tcpip/stack/packet_input.h"
#include "tcpip/stack/stack_fixture.h"
#include "tcpip/testing/packet_builder.h"
#include "tcpip/wire/tcp_options.h"

namespace tcpip {
namespace {

class FragmentsIn : public testing::TestWithParam<bool> {
 protected:
  bool v4() const { return GetParam(); }
  uint32_t header() const { return v4() ? 20 : 40; }
  Stack& stack() { return host_.stack(); }
  Duration timeout() const { return Duration::Seconds(v4() ? 30 : 60); }

  // The payload of the oldest datagram, or nothing.
  std::optional<Bytes> Read() {
    const auto datagram = stack().UdpRecv(socket_).value();
    if (!datagram) return std::nullopt;
    return Flatten(datagram->payload);
  }
  Bytes Datagram(size_t size) const {
    Bytes payload(size);
    for (size_t i = 0; i < size; ++i) payload[i] = static_cast<uint8_t>(i / 8);
    return payload;
  }
  std::vector<Bytes> Parts(size_t size, size_t data_bytes, uint32_t id) const {
    return sim::Cut(MakeUdp({peer_, own_}, Datagram(size)), data_bytes, id);
  }
  // What the stack sends when its next timer is due.
  std::vector<Bytes> DrainAt(Instant now) {
    stack().OnTimers(now);
    return host_.Drain(now);
  }

  Host host_{1, {.name = "x"}, {"10.0.0.2/24", "2001:db8::2/64"}};
  const IpEndpoint own_ = {Ip(v4() ? "10.0.0.2" : "2001:db8::2"), 53};
  const IpEndpoint peer_ = {Ip(v4() ? "10.0.0.1" : "2001:db8::1"), 4000};
  const SocketId socket_ = stack().UdpOpen({.local = own_}).value();
};
INSTANTIATE_TEST_SUITE_P(Families, FragmentsIn, testing::Bool(),
                         [](const testing::TestParamInfo<bool>& info) {
                           return info.param ? "Ipv4" : "Ipv6";
                         });

// [fault I06] in any order
TEST_P(FragmentsIn, ADatagramInThreeFragmentsIsDelivered) {
  std::vector<int> order = {0, 1, 2};
  uint32_t id = 0;
  do {
    const std::vector<Bytes> parts = Parts(3000, 1448, ++id);
    ASSERT_EQ(parts.size(), 3u);
    for (const int i : order) {
      EXPECT_FALSE(Read());
      host_.Receive(parts[i]);
    }
    EXPECT_EQ(Read(), Datagram(3000));
  } while (std::next_permutation(order.begin(), order.end()));
  EXPECT_TRUE(stack().NextDeadline().IsNever());
  EXPECT_EQ(host_.pool().stats().live, 0u);
}

// [fault I05] all sizes from 8 to 1480 bytes
TEST_P(FragmentsIn, FragmentsOfAnySizeAreTaken) {
  for (size_t size = 8; size <= 1480; size += 8) {
    for (const Bytes& part : Parts(1480, size, static_cast<uint32_t>(size))) {
      host_.Receive(part);
    }
    EXPECT_EQ(Read(), Datagram(1480)) << size;
  }
}

// [fault I07] a fragment is never looked at as if it were a packet
TEST_P(FragmentsIn, APartOfASynIsNoSyn) {
  const FourTuple flow = {peer_, {own_.address, 80}};
  const std::vector<Bytes> parts = sim::Cut(
      MakeTcp(flow, {.seq = 9, .flags = wire::TcpFlags::kSyn, .options = {}},
              Bytes(40)),
      24, 5);
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_TRUE(host_.Exchange(parts[1]).empty());
  EXPECT_TRUE(host_.Exchange(parts[0]).empty());
  EXPECT_EQ(host_.Dropped(DropReason::kTcpNoSocket), 0u);
  const std::vector<Bytes> out = host_.Exchange(parts[2]);
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(Open(out[0]).Tcp().ack, 9u + 1 + 40);
}

// [fault I05] as Linux: only the header without options must be in the first
TEST_P(FragmentsIn, TcpOptionsMayBeSplit) {
  const FourTuple flow = {peer_, {own_.address, 80}};
  const Bytes options = {2, 4, 5, 180, 1, 3, 3, 7, 4, 2, 0, 0};
  const Bytes syn = MakeTcp(
      flow, {.seq = 9, .flags = wire::TcpFlags::kSyn, .options = options},
      Bytes(40));
  ASSERT_TRUE(stack().TcpListen({.local = {own_.address, 80}}).ok());
  for (const bool last_first : {false, true}) {
    std::vector<Bytes> parts = sim::Cut(syn, 24, 5);
    if (last_first) std::reverse(parts.begin(), parts.end());
    std::vector<Bytes> out;
    for (const Bytes& part : parts) {
      EXPECT_TRUE(out.empty());
      out = host_.Exchange(part);
    }
    ASSERT_EQ(out.size(), 1u);
    EXPECT_EQ(Open(out[0]).Tcp().flags.ToString(), "S.");
    EXPECT_TRUE(wire::ParseTcpOptions(Open(out[0]).Tcp().options)
                    .window_scale.has_value());
  }
  EXPECT_EQ(host_.Dropped(DropReason::kTcpTruncated), 0u);
}

TEST_P(FragmentsIn, TheChecksumOfTheWholeIsVerified) {
  std::vector<Bytes> parts = Parts(3000, 1448, 1);
  parts[1].back() ^= 1;
  for (const Bytes& part : parts) host_.Receive(part);
  EXPECT_FALSE(Read());
  EXPECT_EQ(host_.Dropped(DropReason::kUdpBadChecksum), 1u);
}

// A checksum that the link vouches for is that of no fragment.
TEST_P(FragmentsIn, WhatTheLinkSaysOfAFragmentMeansNothing) {
  std::vector<Bytes> parts = Parts(3000, 1448, 1);
  parts[1].back() ^= 1;
  for (const Bytes& part : parts) {
    Packet packet = Packet::Copy(host_.pool(), part);
    packet.offload().checksum = ChecksumState::kVerified;
    stack().OnPackets(host_.link(), {&packet, 1}, kTestStart);
  }
  EXPECT_FALSE(Read());
  EXPECT_EQ(host_.Dropped(DropReason::kUdpBadChecksum), 1u);
}

TEST_P(FragmentsIn, OnlyFragmentsForUsAreKept) {
  const IpEndpoint other = {Ip(v4() ? "10.0.0.7" : "2001:db8::7"), 53};
  for (const Bytes& part :
       sim::Cut(MakeUdp({peer_, other}, Datagram(3000)), 1448, 1)) {
    host_.Receive(part);
  }
  EXPECT_EQ(host_.Dropped(DropReason::kIpNotOurs), 3u);
  EXPECT_EQ(stack().Stats().ip_reasm_reqds, 0u);
}

// [RFC 792] [RFC 4443 3.3] [fault X19] when time is over, about the first
TEST_P(FragmentsIn, TheSenderHearsWhenTimeIsOver) {
  const std::vector<Bytes> parts = Parts(3000, 1448, 1);
  host_.Receive(parts[0]);
  host_.Receive(parts[1], kTestStart + Duration::Seconds(10));
  EXPECT_EQ(stack().NextDeadline(), kTestStart + timeout());
  EXPECT_TRUE(
      DrainAt(kTestStart + timeout() - Duration::Nanoseconds(1)).empty());
  const std::vector<Bytes> out = DrainAt(kTestStart + timeout());
  ASSERT_EQ(out.size(), 1u);
  const Opened error = Open(out[0]);
  EXPECT_TRUE(error.transport_checksum_good);
  EXPECT_EQ(error.ip.source, own_.address);
  EXPECT_EQ(error.ip.destination, peer_.address);
  EXPECT_EQ(error.transport[0], v4() ? 11 : 3);
  EXPECT_EQ(error.transport[1], 1);
  EXPECT_TRUE(std::equal(error.transport.begin() + 8, error.transport.end(),
                         parts[0].begin()));
  EXPECT_LE(out[0].size(), v4() ? 576u : 1280u);
  // What is still on the way starts anew.
  host_.Receive(parts[2], kTestStart + timeout());
  EXPECT_FALSE(Read());
  EXPECT_EQ(host_.Dropped(DropReason::kIpReassemblyTimeout), 2u);
  EXPECT_EQ(stack().Stats().ip_reasm_fails, 1u);
}

TEST_P(FragmentsIn, NobodyHearsOfAFirstFragmentThatNeverCame) {
  const std::vector<Bytes> parts = Parts(3000, 1448, 1);
  host_.Receive(parts[1]);
  host_.Receive(parts[2]);
  EXPECT_TRUE(DrainAt(kTestStart + timeout()).empty());
  EXPECT_EQ(host_.Dropped(DropReason::kIpReassemblyTimeout), 2u);
}

// [fault X30] whatever comes in
TEST_P(FragmentsIn, ErrorsAboutTimeAreLimited) {
  StackConfig config;
  config.unowned_answers_per_second = 10;
  config.unowned_answers_burst = 10;
  Host host(1, {.name = "x"}, {"10.0.0.2/24", "2001:db8::2/64"}, config);
  for (uint32_t id = 1; id <= 60; ++id) host.Receive(Parts(3000, 1448, id)[0]);
  host.stack().OnTimers(kTestStart + timeout());
  // One receiver gets half of what may be sent.
  EXPECT_EQ(host.Drain().size(), 5u);
  EXPECT_EQ(host.Dropped(DropReason::kAnswerRateLimited), 55u);
}

// [RFC 8200 4.5] asks for an answer, RFC 791 does not
TEST_P(FragmentsIn, ImpossibleSizesAreAnsweredInIpv6) {
  sim::IpFragment part = {
      .from = peer_.address, .to = own_.address, .offset = 8, .more = true};
  part.data = Bytes(15);
  std::vector<Bytes> out = host_.Exchange(sim::Build(part));
  part.offset = 65528;
  part.data = Bytes(8);
  for (const Bytes& more : host_.Exchange(sim::Build(part))) {
    out.push_back(more);
  }
  EXPECT_EQ(host_.Dropped(DropReason::kIpFragmentBad), 2u);
  ASSERT_EQ(out.size(), v4() ? 0u : 2u);
  if (v4()) return;
  for (const auto& [bytes, pointer] :
       {std::pair(out[0], 4u), std::pair(out[1], 42u)}) {
    const Opened error = Open(bytes);
    EXPECT_EQ(error.transport[0], 4);
    EXPECT_EQ(error.transport[1], 0);
    EXPECT_EQ(LoadBe32(&error.transport[4]), pointer);
  }
}

// [RFC 7112 5] [fault X19]
TEST_P(FragmentsIn, ATinyFirstFragmentIsRefused) {
  const sim::IpFragment part = {.from = peer_.address,
                                .to = own_.address,
                                .protocol = wire::kTcp,
                                .more = true,
                                .data = Bytes(16)};
  const std::vector<Bytes> out = host_.Exchange(sim::Build(part));
  EXPECT_EQ(host_.Dropped(DropReason::kIpFragmentTiny), 1u);
  ASSERT_EQ(out.size(), v4() ? 0u : 1u);
  if (v4()) return;
  const Opened error = Open(out[0]);
  EXPECT_EQ(error.transport[0], 4);
  EXPECT_EQ(error.transport[1], 3);
  EXPECT_EQ(LoadBe32(&error.transport[4]), 0u);
}

// [RFC 6946 4] [fault I06] processed at once, whatever waits under its ID
TEST(PacketInputFragments, AnAtomicFragmentMeetsNoOther) {
  Host host(1, {.name = "x"}, {"2001:db8::2/64"});
  const IpEndpoint own = {Ip("2001:db8::2"), 53};
  const IpEndpoint peer = {Ip("2001:db8::1"), 4000};
  const SocketId id = host.stack().UdpOpen({.local = own}).value();
  const std::vector<Bytes> parts =
      sim::Cut(MakeUdp({peer, own}, Bytes(2000, 1)), 1000, 7);
  host.Receive(parts[0]);
  const std::vector<Bytes> atomic =
      sim::Cut(MakeUdp({peer, own}, Bytes(100, 2)), 1000, 7);
  ASSERT_EQ(atomic.size(), 1u);
  host.Receive(atomic[0]);
  for (size_t i = 1; i < parts.size(); ++i) host.Receive(parts[i]);
  EXPECT_EQ(Flatten(host.stack().UdpRecv(id).value()->payload), Bytes(100, 2));
  EXPECT_EQ(Flatten(host.stack().UdpRecv(id).value()->payload), Bytes(2000, 1));
}

// [fault I07] [fault U11] a later part whose data look like a datagram is none
TEST(GroupFragmentsIn, ADatagramToAGroupIsMadeWholeFirst) {
  struct Row {
    const char* peer;
    const char* group;
  };
  for (const Row& row :
       {Row{"10.0.0.1", "224.0.0.251"}, Row{"10.0.0.1", "10.0.0.255"},
        Row{"2001:db8::1", "ff02::fb"}}) {
    Host host(1, {.name = "x", .group_datagrams = true},
              {"10.0.0.2/24", "2001:db8::2/64"});
    const SocketId socket =
        host.stack().UdpOpen({.local = {Ip("::"), 53}}).value();
    const FourTuple from = {{Ip(row.peer), 4000}, {Ip(row.group), 53}};
    const Bytes inner = Open(MakeUdp(from, Bytes(8, 'x'))).transport;
    Bytes payload(1440, 'y');  // and its header: 1448 bytes
    payload.insert(payload.end(), inner.begin(), inner.end());
    const std::vector<Bytes> parts = sim::Cut(MakeUdp(from, payload), 1448, 7);
    ASSERT_EQ(parts.size(), 2u);
    host.Receive(parts[1]);
    EXPECT_FALSE(host.stack().UdpRecv(socket)->has_value()) << row.group;
    host.Receive(parts[0]);
    const auto datagram = host.stack().UdpRecv(socket).value();
    ASSERT_TRUE(datagram) << row.group;
    EXPECT_EQ(Flatten(datagram->payload), payload);

    // [RFC 1122 3.2.2] nobody is told of one that never becomes whole
    host.Receive(parts[0]);
    const Instant later = kTestStart + Duration::Seconds(61);
    host.stack().OnTimers(later);
    EXPECT_TRUE(host.Drain(later).empty()) << row.group;
    EXPECT_EQ(host.Dropped(DropReason::kIpReassemblyTimeout), 1u);
  }
}

TEST(GroupFragmentsIn, APacketToAGroupIsDroppedWithItsReason) {
  Host host(1, {.name = "x", .group_datagrams = true},
            {"10.0.0.2/24", "2001:db8::2/64"});
  const auto parts = [](const char* peer, const char* group) {
    return sim::Cut(MakeUdp({{Ip(peer), 4000}, {Ip(group), 53}}, Bytes(100)),
                    56, 7);
  };
  Bytes uneven = parts("10.0.0.1", "224.0.0.251")[0];
  uneven.pop_back();
  uneven[3] -= 1;  // total length
  uneven[10] = uneven[11] = 0;
  StoreBe16(&uneven[10], SumBytes(ByteSpan(uneven).first(20)).Checksum());
  host.Receive(uneven);
  EXPECT_EQ(host.Dropped(DropReason::kIpFragmentBad), 1u);
  for (const Bytes& part : sim::Cut(
           MakeTcp({{Ip("10.0.0.1"), 1}, {Ip("224.0.0.251"), 53}},
                   {.flags = wire::TcpFlags::kSyn, .options = {}}, Bytes(100)),
           56, 8)) {
    host.Receive(part);
  }
  EXPECT_EQ(host.Dropped(DropReason::kIpGroup), 1u);
  // [RFC 8200 5] [fault L14] nor does a link carry it that is too small
  host.stack().SetCapabilities(host.link(), {.mtu = 1279}, kTestStart);
  host.Receive(MakeUdp({{Ip("2001:db8::1"), 1}, {Ip("ff02::fb"), 53}}, {}));
  EXPECT_EQ(host.Dropped(DropReason::kIpGroup), 2u);
  EXPECT_TRUE(host.Drain().empty());
}

}  // namespace
}  // namespace tcpip
