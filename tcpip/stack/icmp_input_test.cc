#include "tcpip/stack/icmp_input.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"
#include "tcpip/stack/stack_fixture.h"
#include "tcpip/testing/packet_builder.h"

namespace tcpip {
namespace {

const char* NameOf(const testing::TestParamInfo<bool>& info) {
  return info.param ? "Ipv4" : "Ipv6";
}

// One host; everything is sent by a peer and answered.
class Answers : public testing::TestWithParam<bool> {
 protected:
  bool v4() const { return GetParam(); }
  uint8_t icmp() const { return v4() ? 1 : 58; }
  size_t ip_header() const { return v4() ? 20 : 40; }
  IpFields FromPeer(uint8_t protocol) const { return {peer_, own_, protocol}; }
  FourTuple Flow(uint16_t port) const { return {{peer_, 4000}, {own_, port}}; }
  uint64_t Dropped(DropReason reason) const { return host_.Dropped(reason); }

  Host host_{1, {.name = "x"}, {"10.0.0.2/24", "2001:db8::2/64"}};
  const IpAddress peer_ = Ip(v4() ? "10.0.0.1" : "2001:db8::1");
  const IpAddress own_ = Ip(v4() ? "10.0.0.2" : "2001:db8::2");
};
INSTANTIATE_TEST_SUITE_P(Families, Answers, testing::Bool(), NameOf);

// [fault I01] the reply, byte for byte
TEST_P(Answers, PingIsAnsweredByteForByte) {
  for (const size_t size : {0u, 1u, 56u, 1452u}) {
    Bytes payload(size);
    for (size_t i = 0; i < size; ++i) payload[i] = static_cast<uint8_t>(i * 3);
    IpFields request = FromPeer(icmp());
    request.tos = 0xb8;
    request.ttl = 3;
    const std::vector<Bytes> out =
        host_.Exchange(MakeIcmp(request, v4() ? 8 : 128, 0xbeef0007, payload));
    ASSERT_EQ(out.size(), 1u);
    IpFields reply = {own_, peer_, icmp(), 0xb8, 64};
    EXPECT_EQ(out[0], MakeIcmp(reply, v4() ? 0 : 129, 0xbeef0007, payload));
  }
  EXPECT_EQ(host_.pool().stats().live, 0u);
}

// [fault L06] whatever the link says of the packet: what is quoted is its start
TEST_P(Answers, ASuperSegmentIsQuotedInPart) {
  constexpr uint8_t kNobodys = 200;
  const Bytes bytes = MakeIp(FromPeer(kNobodys), Bytes(65'000, 0x5a));
  Packet packet = Packet::Copy(host_.pool(), bytes);
  packet.offload() = {.gso_type = v4() ? GsoType::kTcp4 : GsoType::kTcp6,
                      .gso_size = 1400,
                      .checksum = ChecksumState::kVerified};
  host_.stack().OnPackets(host_.link(), {&packet, 1}, kTestStart);
  PacketBatch out;
  host_.stack().DrainOutput(host_.link(), out, 10, kTestStart);
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(out[0].offload().gso_type, GsoType::kNone);
  EXPECT_EQ(out[0].size(), v4() ? 576u : 1280u);
  const Opened error = Open(Flatten(out[0]));
  EXPECT_TRUE(error.transport_checksum_good);
  EXPECT_TRUE(std::equal(error.transport.begin() + 8, error.transport.end(),
                         bytes.begin()));
}

// The reply is as large as the request, so it comes in fragments.
TEST_P(Answers, ALargePingIsAnsweredInFragments) {
  Bytes payload(20000);
  for (size_t i = 0; i < payload.size(); ++i)
    payload[i] = static_cast<uint8_t>(i % 251);
  const Bytes request =
      MakeIcmp(FromPeer(icmp()), v4() ? 8 : 128, 0xbeef0007, payload);
  std::vector<Bytes> out;
  for (const Bytes& fragment : sim::Cut(request, 1400, 77)) {
    EXPECT_TRUE(out.empty());
    out = host_.Exchange(fragment);
  }
  EXPECT_EQ(out.size(), 14u);
  for (const Bytes& fragment : out) EXPECT_LE(fragment.size(), 1500u);
  EXPECT_EQ(Reassemble(out), Open(MakeIcmp({own_, peer_, icmp()},
                                           v4() ? 0 : 129, 0xbeef0007, payload))
                                 .transport);
  const StackStats stats = host_.stack().Stats();
  EXPECT_EQ(stats.ip_reasm_reqds, 15u);
  EXPECT_EQ(stats.ip_reasm_oks, 1u);
  EXPECT_EQ(stats.ip_frag_oks, 1u);
  EXPECT_EQ(stats.ip_frag_creates, out.size());
  EXPECT_EQ(host_.pool().stats().live, 0u);
}

// [fault O01] the link takes nothing
TEST_P(Answers, PingsAreNotAnsweredWhenMemoryIsSpent) {
  constexpr size_t kBudget = size_t{4} << 20;
  constexpr size_t kSlack = size_t{256} << 10;  // the packet in hand
  Host host(1, {.name = "x", .link = {.mtu = 65535}},
            {"10.0.0.2/24", "2001:db8::2/64"}, {.memory_budget = kBudget});
  const Bytes ping =
      MakeIcmp(FromPeer(icmp()), v4() ? 8 : 128, 1, Bytes(60'000, 'p'));
  for (int i = 0; i < 400; ++i) host.Receive(ping);
  EXPECT_LE(host.pool().stats().live_bytes, kBudget + kSlack);
  const uint64_t dropped = host.Dropped(DropReason::kMemorySpent);
  EXPECT_EQ(host.Drain().size(), 400 - dropped);
  EXPECT_EQ(host.Exchange(ping).size(), 1u);
}

TEST_P(Answers, PingToAnyoneElseIsNotAnswered) {
  for (const std::string_view to :
       {v4() ? "10.0.0.3" : "2001:db8::3", v4() ? "224.0.0.1" : "ff02::1",
        v4() ? "255.255.255.255" : "ff02::2"}) {
    EXPECT_TRUE(
        host_.Exchange(MakeIcmp({peer_, Ip(to), icmp()}, v4() ? 8 : 128, 1, {}))
            .empty());
  }
  EXPECT_EQ(Dropped(DropReason::kIpNotOurs), 1u);
  EXPECT_EQ(Dropped(DropReason::kIpGroup), 2u);
}

TEST_P(Answers, AClosedUdpPortIsUnreachableAndQuoted) {
  for (const size_t size : {0u, 5u, 1400u}) {
    const Bytes sent = MakeUdp(Flow(53), Bytes(size, 9));
    const std::vector<Bytes> out = host_.Exchange(sent);
    ASSERT_EQ(out.size(), 1u);
    const Opened error = Open(out[0]);
    EXPECT_TRUE(error.transport_checksum_good);
    EXPECT_EQ(error.ip.source, own_);
    EXPECT_EQ(error.ip.destination, peer_);
    EXPECT_EQ(error.ip.protocol, icmp());
    EXPECT_EQ(error.transport[0], v4() ? 3 : 1);
    EXPECT_EQ(error.transport[1], v4() ? 3 : 4);
    EXPECT_EQ(LoadBe32(&error.transport[4]), 0u);
    const size_t room = (v4() ? 576 : 1280) - ip_header() - 8;
    const size_t quoted = std::min(sent.size(), room);
    EXPECT_EQ(Bytes(error.transport.begin() + 8, error.transport.end()),
              Bytes(sent.begin(), sent.begin() + quoted));
  }
  EXPECT_EQ(Dropped(DropReason::kUdpNoSocket), 3u);
}

// [RFC 1122 3.2.2.1], [RFC 4443 3.4] the latter says where the protocol stands
TEST_P(Answers, AnUnknownProtocolIsUnreachable) {
  const std::vector<Bytes> out =
      host_.Exchange(MakeIp(FromPeer(132), Bytes(12, 1)));
  ASSERT_EQ(out.size(), 1u);
  const Opened error = Open(out[0]);
  EXPECT_EQ(error.transport[0], v4() ? 3 : 4);
  EXPECT_EQ(error.transport[1], v4() ? 2 : 1);
  EXPECT_EQ(LoadBe32(&error.transport[4]), v4() ? 0u : 6u);
  EXPECT_EQ(Dropped(DropReason::kIpUnknownProtocol), 1u);
}

TEST_P(Answers, IcmpOfTheOtherFamilyIsAnUnknownProtocol) {
  host_.Receive(MakeIp(FromPeer(v4() ? 58 : 1), Bytes(8, 0)));
  EXPECT_EQ(Dropped(DropReason::kIpUnknownProtocol), 1u);
}

// [RFC 1122 3.2.2]
TEST_P(Answers, ErrorsAreNeverAnswered) {
  const Bytes quoted = MakeUdp({{own_, 53}, {peer_, 4000}}, {});
  EXPECT_TRUE(
      host_.Exchange(MakeIcmp(FromPeer(icmp()), v4() ? 3 : 1, 0, quoted))
          .empty());
  EXPECT_EQ(Dropped(DropReason::kIcmpIgnored), 1u);
}

TEST_P(Answers, AnswersToStrangersAreLimited) {
  for (int i = 0; i < 1500; ++i) {
    host_.Receive(MakeUdp(Flow(53), {}));
    if (i % 100 == 0) host_.Drain();
  }
  EXPECT_EQ(Dropped(DropReason::kAnswerRateLimited), 1000u);
  EXPECT_EQ(host_.stack().Stats().icmp_out_msgs, 500u);
}

// [fault I14] options are gone from the reply, the payload is not
TEST(IcmpInput, PingWithIpOptionsIsAnswered) {
  Host host(1, {.name = "x"}, {"10.0.0.2/24"});
  IpFields request = {Ip("10.0.0.1"), Ip("10.0.0.2"), 1};
  request.options = {7, 11, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0};  // record route
  const std::vector<Bytes> out =
      host.Exchange(MakeIcmp(request, 8, 0x00010002, ToBytes("payload")));
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(out[0], MakeIcmp({Ip("10.0.0.2"), Ip("10.0.0.1"), 1}, 0, 0x00010002,
                             ToBytes("payload")));
}

}  // namespace
}  // namespace tcpip
