#include "tcpip/stack/packet_input.h"

#include <vector>

#include "gtest/gtest.h"
#include "tcpip/stack/stack_fixture.h"
#include "tcpip/testing/packet_builder.h"

namespace tcpip {
namespace {

using wire::TcpFlags;

const char* NameOf(const testing::TestParamInfo<bool>& info) {
  return info.param ? "Ipv4" : "Ipv6";
}

// One host; everything is sent by a peer and answered.
class Answers : public testing::TestWithParam<bool> {
 protected:
  bool v4() const { return GetParam(); }
  FourTuple Flow(uint16_t port) const { return {{peer_, 4000}, {own_, port}}; }
  uint64_t Dropped(DropReason reason) const { return host_.Dropped(reason); }

  Host host_{1, {.name = "x"}, {"10.0.0.2/24", "2001:db8::2/64"}};
  const IpAddress peer_ = Ip(v4() ? "10.0.0.1" : "2001:db8::1");
  const IpAddress own_ = Ip(v4() ? "10.0.0.2" : "2001:db8::2");
};
INSTANTIATE_TEST_SUITE_P(Families, Answers, testing::Bool(), NameOf);

// [RFC 9293 3.10.7.1] both forms of the reset
TEST_P(Answers, AClosedTcpPortResets) {
  const Bytes syn =
      MakeTcp(Flow(80), {.seq = 1000, .flags = TcpFlags::kSyn, .options = {}},
              ToBytes("abc"));
  std::vector<Bytes> out = host_.Exchange(syn);
  ASSERT_EQ(out.size(), 1u);
  Opened reset = Open(out[0]);
  EXPECT_TRUE(reset.transport_checksum_good);
  EXPECT_EQ(reset.ip.source, own_);
  EXPECT_EQ(reset.ip.destination, peer_);
  EXPECT_EQ(reset.Tcp().flags.ToString(), "R.");
  EXPECT_EQ(reset.Tcp().seq, 0u);
  EXPECT_EQ(reset.Tcp().ack, 1004u);  // SYN and three bytes
  EXPECT_EQ(reset.Tcp().source_port, 80);
  EXPECT_EQ(reset.Tcp().destination_port, 4000);

  const Bytes ack = MakeTcp(
      Flow(80),
      {.seq = 1000, .ack = 0x80000001, .flags = TcpFlags::kAck, .options = {}});
  out = host_.Exchange(ack);
  ASSERT_EQ(out.size(), 1u);
  reset = Open(out[0]);
  EXPECT_EQ(reset.Tcp().flags.ToString(), "R");
  EXPECT_EQ(reset.Tcp().seq, 0x80000001u);
  EXPECT_EQ(host_.stack().Stats().tcp_out_rsts, 2u);
  EXPECT_EQ(Dropped(DropReason::kTcpNoSocket), 2u);
}

TEST_P(Answers, AResetIsNeverAnswered) {
  for (const int flags : {int{TcpFlags::kRst}, TcpFlags::kRst | TcpFlags::kAck,
                          TcpFlags::kRst | TcpFlags::kSyn}) {
    EXPECT_TRUE(
        host_
            .Exchange(MakeTcp(
                Flow(80), {.seq = 1, .flags = TcpFlags(flags), .options = {}}))
            .empty());
  }
}

struct Damage {
  const char* name;
  void (*apply)(Bytes& packet);
  DropReason want;
};

const Damage kDamages[] = {
    {"Empty", [](Bytes& p) { p.clear(); }, DropReason::kIpTruncated},
    {"Version", [](Bytes& p) { p[0] = 0x95; }, DropReason::kIpBadVersion},
    {"IpChecksum", [](Bytes& p) { p[8] ^= 4; }, DropReason::kIpBadChecksum},
    {"CutOff", [](Bytes& p) { p.pop_back(); }, DropReason::kIpTruncated},
    {"TcpChecksum", [](Bytes& p) { p.back() ^= 1; },
     DropReason::kTcpBadChecksum},
    {"DataOffset", [](Bytes& p) { p[32] = 0xf0; }, DropReason::kTcpTruncated},
};

TEST(PacketInput, EveryDropHasItsReason) {
  Host host(1, {.name = "x"}, {"10.0.0.2/24"});
  for (const Damage& damage : kDamages) {
    Bytes packet =
        MakeTcp({{Ip("10.0.0.1"), 4000}, {Ip("10.0.0.2"), 80}},
                {.flags = TcpFlags::kSyn, .options = {}}, ToBytes("xy"));
    damage.apply(packet);
    const uint64_t before = host.Dropped(damage.want);
    EXPECT_TRUE(host.Exchange(packet).empty()) << damage.name;
    EXPECT_EQ(host.Dropped(damage.want), before + 1) << damage.name;
  }
  EXPECT_EQ(host.pool().stats().live, 0u);
}

TEST(PacketInput, PaddingIsNotPayload) {
  Host host(1, {.name = "x"}, {"10.0.0.2/24"});
  const IpFields request = {Ip("10.0.0.1"), Ip("10.0.0.2"), 1};
  Bytes padded = MakeIcmp(request, 8, 1, ToBytes("abc"));
  padded.resize(60, 0xee);
  const std::vector<Bytes> out = host.Exchange(padded);
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(out[0].size(), 31u);
}

TEST(PacketInput, OurOwnAddressAsASourceComesFromALiar) {
  Host host(1, {.name = "x"}, {"10.0.0.2/24", "10.0.0.3/24"});
  EXPECT_TRUE(
      host.Exchange(MakeIcmp({Ip("10.0.0.3"), Ip("10.0.0.2"), 1}, 8, 1, {}))
          .empty());
  EXPECT_EQ(host.Dropped(DropReason::kIpMartian), 1u);
}

// [RFC 1122 3.2.1.3] or our answers would multiply
TEST(PacketInput, ABroadcastAddressIsNeitherSourceNorDestination) {
  Host host(1, {.name = "x", .any_address = true}, {"10.0.0.2/24"});
  const Bytes from_all =
      MakeIcmp({Ip("10.0.0.255"), Ip("10.0.0.2"), 1}, 8, 1, {});
  const Bytes to_all =
      MakeIcmp({Ip("10.0.0.1"), Ip("10.0.0.255"), 1}, 8, 1, {});
  EXPECT_TRUE(host.Exchange(from_all).empty());
  EXPECT_EQ(host.Dropped(DropReason::kIpMartian), 1u);
  EXPECT_TRUE(host.Exchange(to_all).empty());
  EXPECT_EQ(host.Dropped(DropReason::kIpGroup), 1u);
}

// [RFC 8200 4.2] the sender of an option that forbids skipping hears of it
TEST(PacketInput, AHeaderProblemIsReported) {
  Host host(1, {.name = "x"}, {"2001:db8::2/64"});
  const Bytes options = {17, 0, 0xde, 4, 0, 0, 0, 0};
  const IpFields ip = {Ip("2001:db8::1"), Ip("2001:db8::2"), 0};
  const std::vector<Bytes> out = host.Exchange(MakeIp(ip, options));
  ASSERT_EQ(out.size(), 1u);
  const Opened error = Open(out[0]);
  EXPECT_EQ(error.transport[0], 4);
  EXPECT_EQ(error.transport[1], 2);
  EXPECT_EQ(LoadBe32(&error.transport[4]), 42u);
  EXPECT_EQ(host.Dropped(DropReason::kIpExtension), 1u);
}

}  // namespace
}  // namespace tcpip
