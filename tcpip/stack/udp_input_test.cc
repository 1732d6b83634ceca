// What comes in as UDP, by table: checksums, lengths, ports, destinations.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "gtest/gtest.h"
#include "tcpip/base/bytes.h"
#include "tcpip/buffer/packet.h"
#include "tcpip/stack/stack.h"
#include "tcpip/stack/stack_fixture.h"

namespace tcpip {
namespace {

struct Family {
  const char* name;
  FourTuple from;  // peer to us
  size_t ip_header;
};
const Family kFamilies[] = {
    {"IPv4", {{Ip("10.0.0.1"), 4000}, {Ip("10.0.0.2"), 53}}, 20},
    {"IPv6", {{Ip("2001:db8::1"), 4000}, {Ip("2001:db8::2"), 53}}, 40}};

class UdpInputTest : public testing::Test {
 protected:
  Stack& stack() { return host_.stack(); }
  void Receive(const Bytes& packet, ChecksumState state, const Family& family) {
    Packet in = Packet::Copy(host_.pool(), packet);
    in.offload().checksum = state;
    in.offload().checksum_start = static_cast<uint16_t>(family.ip_header);
    in.offload().checksum_offset = 6;
    stack().OnPackets(host_.link(), {&in, 1}, kTestStart);
  }
  std::optional<Bytes> Read() {
    const auto datagram = stack().UdpRecv(socket_).value();
    if (!datagram) return std::nullopt;
    return Flatten(datagram->payload);
  }

  Host host_{1, {.name = "x"}, {"10.0.0.2/24", "2001:db8::2/64"}};
  SocketId socket_ = stack().UdpOpen({.local = {Ip("::"), 53}}).value();
};

enum class Field { kRight, kWrong, kZero };

struct ChecksumCase {
  ChecksumState state;
  Field field;
  bool ipv4;  // is taken
  bool ipv6;
};

// [RFC 768] zero is none, [RFC 8200 8.1] and refused over IPv6, whatever the
// link says; RFC 6935 lets tunnels have such, and we are none
const ChecksumCase kChecksums[] = {
    {ChecksumState::kUnverified, Field::kRight, true, true},
    {ChecksumState::kUnverified, Field::kWrong, false, false},
    {ChecksumState::kUnverified, Field::kZero, true, false},
    {ChecksumState::kVerified, Field::kRight, true, true},
    {ChecksumState::kVerified, Field::kWrong, true, true},
    {ChecksumState::kVerified, Field::kZero, true, false},
    // The sender's kernel has left the field to us and we to nobody.
    {ChecksumState::kPartial, Field::kRight, true, true},
    {ChecksumState::kPartial, Field::kWrong, true, true},
    {ChecksumState::kPartial, Field::kZero, true, false},
};

TEST_F(UdpInputTest, ChecksumsAreJudgedByFamilyAndLink) {
  uint64_t refused = 0;
  for (const Family& family : kFamilies) {
    const bool is_ipv4 = family.ip_header == 20;
    for (const ChecksumCase& c : kChecksums) {
      // Odd and even, in one block and more.
      for (const size_t size : {0u, 1u, 2u, 1399u, 4001u}) {
        Bytes packet = MakeUdp(family.from, Bytes(size, 0x5a));
        uint8_t* const field = &packet[family.ip_header + 6];
        if (c.field == Field::kZero) StoreBe16(field, 0);
        if (c.field == Field::kWrong) field[1] ^= 1;
        Receive(packet, c.state, family);
        const bool taken = is_ipv4 ? c.ipv4 : c.ipv6;
        ASSERT_EQ(Read().has_value(), taken)
            << family.name << " row " << &c - kChecksums << " size " << size;
        refused += !taken;
      }
    }
  }
  EXPECT_EQ(host_.Dropped(DropReason::kUdpBadChecksum), refused);
}

// A sum of zero comes as all ones, and any single flipped bit is seen.
TEST_F(UdpInputTest, AllOnesIsTheChecksumOfASumOfZero) {
  for (const Family& family : kFamilies) {
    // The word that makes up for the rest of the datagram.
    Bytes packet = MakeUdp(family.from, Bytes(2, 0));
    const size_t at = family.ip_header + 6;
    const uint16_t rest = LoadBe16(&packet[at]);
    StoreBe16(&packet[family.ip_header + 8], rest);
    StoreBe16(&packet[at], 0xffff);
    Receive(packet, ChecksumState::kUnverified, family);
    EXPECT_TRUE(Read()) << family.name;
    packet.back() ^= 1;
    Receive(packet, ChecksumState::kUnverified, family);
    EXPECT_FALSE(Read()) << family.name;
  }
}

// [fault X22] what the length field says counts within what IP brought
TEST_F(UdpInputTest, TheLengthFieldIsBelievedWithinThePacket) {
  constexpr size_t kPayload = 12;
  uint64_t truncated = 0;
  for (const Family& family : kFamilies) {
    for (size_t length = 0; length <= 8 + kPayload + 4; ++length) {
      // The checksum is right for what the length covers.
      const size_t covered = length < 8 ? 0 : std::min(length - 8, kPayload);
      Bytes transport =
          Open(MakeUdp(family.from, Bytes(covered, 0x11))).transport;
      transport.resize(8 + kPayload, 0x11);  // the rest is padding
      StoreBe16(&transport[4], static_cast<uint16_t>(length));
      const FourTuple& from = family.from;
      host_.Receive(
          MakeIp({from.local.address, from.remote.address, 17}, transport));
      const bool fits = length >= 8 && length <= 8 + kPayload;
      truncated += !fits;
      const std::optional<Bytes> read = Read();
      ASSERT_EQ(read.has_value(), fits) << family.name << " " << length;
      if (fits) {
        EXPECT_EQ(*read, Bytes(length - 8, 0x11));
      }
    }
  }
  EXPECT_EQ(host_.Dropped(DropReason::kUdpTruncated), truncated);
}

// [fault L10] frames cut off anywhere are dropped, counted and never read past
TEST_F(UdpInputTest, ShortFramesAreDroppedCounted) {
  uint64_t frames = 0;
  for (const Family& family : kFamilies) {
    const Bytes whole = MakeUdp(family.from, Bytes(4, 1));
    for (size_t size = 0; size < whole.size(); ++size) {
      // The IP header as it was, and as if it knew of the cut.
      for (const bool consistent : {false, true}) {
        Bytes cut(whole.begin(), whole.begin() + static_cast<long>(size));
        if (consistent && size >= family.ip_header) {
          if (family.ip_header == 40) {
            StoreBe16(&cut[4], static_cast<uint16_t>(size - 40));
          } else {
            const FourTuple& from = family.from;
            cut = MakeIp({from.local.address, from.remote.address, 17},
                         Bytes(cut.begin() + 20, cut.end()));
          }
        }
        host_.Receive(cut);
        ++frames;
      }
    }
  }
  EXPECT_FALSE(Read());
  const StackStats stats = stack().Stats();
  EXPECT_EQ(stats.Dropped(DropReason::kIpTruncated) +
                stats.Dropped(DropReason::kUdpTruncated),
            frames);
}

struct PortCase {
  uint16_t source;
  uint16_t destination;
  bool heard;
};

// [fault X41] port 0: a source may have none, nobody is bound to it
TEST_F(UdpInputTest, PortZeroIsAPortLikeAnyThatNobodyHolds) {
  const PortCase table[] = {{0, 0, false},
                            {0, 53, true},
                            {4000, 0, false},
                            {0, 54, false},
                            {4000, 53, true}};
  for (const Family& family : kFamilies) {
    for (const PortCase& c : table) {
      FourTuple from = family.from;
      from.local.port = c.source;
      from.remote.port = c.destination;
      const std::vector<Bytes> out = host_.Exchange(MakeUdp(from, Bytes(1, 1)));
      const auto datagram = stack().UdpRecv(socket_).value();
      ASSERT_EQ(datagram.has_value(), c.heard);
      // [RFC 1122 4.1.3.1] port unreachable
      EXPECT_EQ(out.size(), c.heard ? 0u : 1u);
      if (!datagram) continue;
      EXPECT_EQ(datagram->source.port, c.source);
      EXPECT_EQ(stack().UdpSend(socket_, datagram->source, {}).ok(),
                c.source != 0);
      host_.Drain();
    }
  }
  // The same for TCP, where port 0 is answered or ignored like any other.
  for (const uint16_t source : {0, 4000}) {
    FourTuple from = kFamilies[0].from;
    from.local.port = source;
    from.remote.port = 0;
    host_.Exchange(
        MakeTcp(from, {.flags = wire::TcpFlags::kSyn, .options = {}}));
  }
  EXPECT_EQ(host_.Dropped(DropReason::kTcpNoSocket), 2u);
}

struct GroupCase {
  const char* source;
  const char* destination;
  bool allowed;  // where the interface takes groups
};

// [fault U11] dropped by default, counted; never answered
TEST_F(UdpInputTest, GroupsAndBroadcastsAreHeardWhereTheInterfaceSaysSo) {
  const GroupCase table[] = {
      {"10.0.0.1", "239.255.255.250", true},
      {"10.0.0.1", "10.0.0.255", true},
      {"10.0.0.1", "255.255.255.255", true},
      {"2001:db8::1", "ff02::fb", true},
      {"10.0.0.1", "10.0.0.3", false},         // another host
      {"10.0.0.2", "239.255.255.250", false},  // our own come by the loopback
      {"10.0.0.255", "239.255.255.250", false},
  };
  for (const bool take : {false, true}) {
    Host host(1, {.name = "x", .group_datagrams = take},
              {"10.0.0.2/24", "2001:db8::2/64"});
    const SocketId socket =
        host.stack().UdpOpen({.local = {Ip("::"), 53}}).value();
    for (const GroupCase& c : table) {
      for (const uint16_t port : {53, 54}) {
        const FourTuple from = {{Ip(c.source), 1900},
                                {Ip(c.destination), port}};
        EXPECT_TRUE(host.Exchange(MakeUdp(from, Bytes(1, 1))).empty());
        const auto datagram = host.stack().UdpRecv(socket).value();
        ASSERT_EQ(datagram.has_value(), take && c.allowed && port == 53)
            << c.destination << " " << port;
        if (datagram) {
          EXPECT_EQ(datagram->destination, from.remote);
        }
      }
    }
    // Other protocols have no business there.
    host.Receive(MakeTcp({{Ip("10.0.0.1"), 1}, {Ip("10.0.0.255"), 53}},
                         {.flags = wire::TcpFlags::kSyn, .options = {}}));
    EXPECT_EQ(host.Dropped(DropReason::kIpGroup), take ? 1u : 9u);
    EXPECT_EQ(host.Dropped(DropReason::kUdpNoSocket), take ? 4u : 0u);
    EXPECT_EQ(host.Dropped(DropReason::kIpNotOurs), 2u);
    EXPECT_EQ(host.Dropped(DropReason::kIpMartian), 4u);
  }
}

// [fault U15] every block goes home: read, dropped, refused, left in a queue
TEST_F(UdpInputTest, NoBlockIsKeptByWhatIsGone) {
  for (const Family& family : kFamilies) {
    const SocketId small =
        stack()
            .UdpOpen({.local = {family.from.remote.address, 54},
                      .receive_queue_bytes = 5000})
            .value();
    FourTuple to_small = family.from;
    to_small.remote.port = 54;
    for (int i = 0; i < 10; ++i) {
      host_.Receive(MakeUdp(to_small, Bytes(1000, 1)));
    }
    EXPECT_GT(host_.Dropped(DropReason::kUdpQueueFull), 0u);
    Bytes wrong = MakeUdp(family.from, Bytes(3000, 1));
    wrong.back() ^= 1;
    host_.Receive(wrong);
    host_.Receive(MakeUdp(family.from, Bytes(3000, 2)));
    {
      // A payload outlives its queue and the socket's other datagrams.
      const auto held = stack().UdpRecv(socket_).value();
      ASSERT_TRUE(stack().Close(small, kTestStart).ok());
      EXPECT_EQ(Flatten(held->payload), Bytes(3000, 2));
    }
    EXPECT_EQ(host_.pool().stats().live, 0u) << family.name;
  }
}

}  // namespace
}  // namespace tcpip
