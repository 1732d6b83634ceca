// What strangers may send: every small mistake in a header, all that must not
// be answered, and more of what may be than we want to answer.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tcpip/base/bytes.h"
#include "tcpip/base/checksum.h"
#include "tcpip/base/rng.h"
#include "tcpip/base/time.h"
#include "tcpip/stack/stack_fixture.h"
#include "tcpip/testing/packet_builder.h"

namespace tcpip {
namespace {

const FourTuple kToUs = {{Ip("10.0.0.1"), 4000}, {Ip("10.0.0.2"), 53}};
const FourTuple kToUs6 = {{Ip("2001:db8::1"), 4000}, {Ip("2001:db8::2"), 53}};

struct HardenedHost : Host {
  HardenedHost() : Host(1, {.name = "x"}, {"10.0.0.2/24", "2001:db8::2/64"}) {}
};

void SealIpv4(Bytes& packet, size_t header_size) {
  StoreBe16(&packet[10], 0);
  StoreBe16(&packet[10],
            SumBytes(ByteSpan(packet).first(header_size)).Checksum());
}

// [fault I14, X22] every IHL with every total length, in frames of 60 bytes:
// only a header that fits the packet, and a packet that fits the frame, count
TEST(Hardening, OnlyAHeaderAndLengthThatFitAreAnswered) {
  HardenedHost host;
  for (size_t words = 0; words < 16; ++words) {
    for (size_t total = 0; total <= 64; ++total) {
      const size_t header = 4 * words;
      Bytes packet =
          MakeIcmp({kToUs.local.address, kToUs.remote.address, 1}, 8, 7, {});
      packet.resize(60, 0);
      packet[0] = static_cast<uint8_t>(0x40 | words);
      StoreBe16(&packet[2], static_cast<uint16_t>(total));
      // Options are ends of the list; then an echo request as long as it gets.
      const size_t fits = header >= 20 && header <= 60 ? header : 20;
      std::fill(packet.begin() + 20, packet.end(), 0);
      SealIpv4(packet, fits);
      if (fits < 60) packet[fits] = 8;
      if (fits + 8 <= 60) StoreBe16(&packet[fits + 2], 0xf7ff);
      const bool whole = header >= 20 && total >= header + 8 && total <= 60;
      EXPECT_EQ(host.Exchange(packet).size(), whole ? 1u : 0u)
          << words << " words, " << total << " bytes";
    }
  }
  EXPECT_EQ(host.pool().stats().live, 0u);
}

// [fault X22] UDP's length against IP's, against the frame: delivered is what
// UDP's length covers, if that is a datagram within the packet
TEST(Hardening, OnlyWhatUdpsLengthCoversIsDelivered) {
  HardenedHost host;
  const SocketId udp = host.stack().UdpOpen({.local = kToUs.remote}).value();
  for (size_t ip_payload = 0; ip_payload <= 24; ++ip_payload) {
    for (size_t length = 0; length <= 28; ++length) {
      for (const size_t padding : {0u, 1u, 7u}) {
        Bytes transport(std::max<size_t>(ip_payload, 8), 0x61);
        StoreBe16(&transport[0], 4000);
        StoreBe16(&transport[2], 53);
        StoreBe16(&transport[4], static_cast<uint16_t>(length));
        StoreBe16(&transport[6], 0);  // no checksum
        transport.resize(ip_payload);
        Bytes packet =
            MakeIp({kToUs.local.address, kToUs.remote.address, 17}, transport);
        packet.resize(packet.size() + padding, 0xee);
        EXPECT_TRUE(host.Exchange(packet).empty());
        const auto got = host.stack().UdpRecv(udp).value();
        ASSERT_EQ(got.has_value(), length >= 8 && length <= ip_payload)
            << length << " in " << ip_payload;
        if (got) {
          EXPECT_EQ(Flatten(got->payload), Bytes(length - 8, 0x61));
        }
      }
    }
  }
}

// [fault I15, X22] every data offset with every payload is dropped and counted,
// or answered as a segment for a closed port
TEST(Hardening, OnlyADataOffsetThatFitsIsASegment) {
  for (int words = 0; words < 16; ++words) {
    for (size_t payload = 0; payload <= 60; ++payload) {
      HardenedHost host;
      Bytes packet = MakeTcp(
          kToUs, {.seq = 1, .flags = wire::TcpFlags::kSyn, .options = {}},
          Bytes(payload, 1));  // options of length 1 are no options
      packet[32] = static_cast<uint8_t>(words << 4);
      // The sum of the segment grew by what the offset did.
      StoreBe16(&packet[36],
                UpdateChecksum(LoadBe16(&packet[36]), 0x5002,
                               static_cast<uint16_t>(words << 12 | 2)));
      const size_t header = 4 * static_cast<size_t>(words);
      const bool good = header >= 20 && header <= 20 + payload;
      EXPECT_EQ(host.Exchange(packet).size(), good ? 1u : 0u)
          << words << " words, " << payload;
      EXPECT_EQ(host.Dropped(DropReason::kTcpTruncated), good ? 0u : 1u);
    }
  }
}

// What `host` answers to a packet that stands `shift` bytes behind where it
// would be aligned.
std::vector<Bytes> ExchangeShifted(Host& host, Bytes bytes, size_t shift) {
  bytes.insert(bytes.begin(), shift, 0);
  Packet packet = Packet::Copy(host.pool(), bytes);
  packet.TrimFront(shift);
  packet.set_ingress(kTestStart);
  host.stack().OnPackets(host.link(), {&packet, 1}, kTestStart);
  return host.Drain();
}

class Alignment : public testing::TestWithParam<size_t> {
 protected:
  std::vector<Bytes> Exchange(const Bytes& bytes) {
    return ExchangeShifted(host_, bytes, GetParam());
  }
  // Nothing is answered, and the socket has the payload.
  void ExpectDelivered(SocketId udp, const std::vector<Bytes>& packets,
                       const Bytes& payload) {
    for (const Bytes& packet : packets) EXPECT_TRUE(Exchange(packet).empty());
    const auto got = host_.stack().UdpRecv(udp).value();
    ASSERT_TRUE(got.has_value());
    EXPECT_EQ(Flatten(got->payload), payload);
  }

  HardenedHost host_;
};
INSTANTIATE_TEST_SUITE_P(Shifts, Alignment, testing::Range<size_t>(0, 8));

// [fault I17] frames of odd lengths at odd addresses; the sanitizers watch
TEST_P(Alignment, EchoNeedsNone) {
  for (const FourTuple& tuple : {kToUs, kToUs6}) {
    const bool v4 = tuple.local.address.IsIpv4();
    const auto icmp = static_cast<uint8_t>(v4 ? 1 : 58);
    for (size_t size = 0; size < 20; ++size) {
      const std::vector<Bytes> out =
          Exchange(MakeIcmp({tuple.local.address, tuple.remote.address, icmp},
                            v4 ? 8 : 128, 1, Bytes(size, 0x5a)));
      ASSERT_EQ(out.size(), 1u);
      EXPECT_TRUE(Open(out[0]).transport_checksum_good);
    }
  }
}

// [fault I17] MSS, SACK permitted, timestamps, scale; then a segment with SACK
// [RFC 9293 3.2 MUST-64]
TEST_P(Alignment, TcpOptionsNeedNone) {
  const Bytes syn_options = {2, 4, 5, 180, 4, 2, 8, 10, 0, 0,
                             0, 9, 0, 0,   0, 0, 1, 3,  3, 7};
  for (const FourTuple& tuple : {kToUs, kToUs6}) {
    const SocketId listener =
        host_.stack().TcpListen({.local = tuple.remote}).value();
    std::vector<Bytes> out =
        Exchange(MakeTcp(tuple, {.seq = 1,
                                 .flags = wire::TcpFlags::kSyn,
                                 .window = 1000,
                                 .options = syn_options}));
    ASSERT_EQ(out.size(), 1u);
    const Opened syn_ack = Open(out[0]);
    EXPECT_TRUE(syn_ack.transport_checksum_good);
    EXPECT_EQ(syn_ack.Tcp().options.size(), syn_options.size());
    const uint32_t iss = syn_ack.Tcp().seq;
    Bytes ack_options = {1, 1, 8, 10, 0, 0, 0, 10, 0, 0, 0, 0,
                         1, 1, 5, 10, 0, 0, 0, 0,  0, 0, 0, 0};
    // The timestamp it sent is echoed.
    std::copy_n(syn_ack.Tcp().options.begin() + 8, 4, ack_options.begin() + 8);
    Exchange(MakeTcp(tuple,
                     {.seq = 2,
                      .ack = iss + 1,
                      .flags = wire::TcpFlags::kAck,
                      .window = 1000,
                      .options = ack_options},
                     ToBytes("odd")));
    const SocketId accepted = host_.stack().TcpAccept(listener).value();
    EXPECT_EQ(Flatten(*host_.stack().TcpRecv(accepted, 10, kTestStart)),
              ToBytes("odd"));
  }
}

// [fault I17]
TEST_P(Alignment, DatagramsFragmentsAndErrorsNeedNone) {
  for (const FourTuple& tuple : {kToUs, kToUs6}) {
    const bool v4 = tuple.local.address.IsIpv4();
    const SocketId udp = host_.stack().UdpOpen({.local = tuple.remote}).value();
    for (size_t size = 1; size < 20; ++size) {
      const Bytes payload(size, 0x5a);
      ExpectDelivered(udp, {MakeUdp(tuple, payload)}, payload);
    }
    const Bytes payload(47, 0x5a);
    ExpectDelivered(udp, sim::Cut(MakeUdp(tuple, payload), 16, 1), payload);
    FourTuple closed = tuple;
    ++closed.remote.port;
    const std::vector<Bytes> out = Exchange(MakeUdp(closed, payload));
    ASSERT_EQ(out.size(), 1u);
    EXPECT_TRUE(Open(out[0]).transport_checksum_good);
    // An error about a datagram of ours.
    const uint64_t reports = host_.stack().Stats().icmp_path_mtu_reports;
    ASSERT_TRUE(host_.stack().UdpSend(udp, tuple.local, Bytes(1400, 1)).ok());
    EXPECT_TRUE(Exchange(MakeTooBig(host_.Drain().at(0), 1300)).empty());
    EXPECT_EQ(host_.stack().Stats().icmp_path_mtu_reports, reports + 1) << v4;
  }
}

// [fault I17] IPv4 options, and IPv6 options of both kinds
TEST_P(Alignment, WhatStandsBeforeTheTransportNeedsNone) {
  const Bytes payload = ToBytes("odd");
  IpFields ip = {kToUs.local.address, kToUs.remote.address, 17};
  ip.options = {1, 1, 1, 0};
  const SocketId udp = host_.stack().UdpOpen({.local = kToUs.remote}).value();
  ExpectDelivered(udp, {MakeIp(ip, Open(MakeUdp(kToUs, payload)).transport)},
                  payload);

  const SocketId udp6 = host_.stack().UdpOpen({.local = kToUs6.remote}).value();
  Bytes headers = {60, 0, 1, 4, 0, 0, 0, 0, 17, 0, 1, 4, 0, 0, 0, 0};
  const Bytes transport = Open(MakeUdp(kToUs6, payload)).transport;
  headers.insert(headers.end(), transport.begin(), transport.end());
  ExpectDelivered(
      udp6, {MakeIp({kToUs6.local.address, kToUs6.remote.address, 0}, headers)},
      payload);
}

// [fault X21] a route chosen by a stranger is never followed, nor answered
// [RFC 9293 3.9.2 MUST-50]
TEST(Hardening, SourceRoutesAreDroppedAndOtherOptionsSkipped) {
  HardenedHost host;
  for (int type = 0; type < 256; ++type) {
    IpFields ip = {kToUs.local.address, kToUs.remote.address, 1};
    ip.options = {static_cast<uint8_t>(type), 7, 4, 10, 0, 0, 9, 0};
    const bool route = type == 131 || type == 137;
    // NOP is one byte long: what follows is an option of type 7.
    if (type == 1) ip.options = {1, 7, 7, 4, 10, 0, 0, 9};
    EXPECT_EQ(host.Exchange(MakeIcmp(ip, 8, 1, {})).size(), route ? 0u : 1u)
        << type;
  }
  EXPECT_EQ(host.Dropped(DropReason::kIpSourceRoute), 2u);
}

// [fault I16] every hop-by-hop option, to us and to all nodes
TEST(Hardening, OptionsToMulticastAreNeverAnswered) {
  HardenedHost host;
  for (const std::string_view to : {"2001:db8::2", "ff02::1"}) {
    for (int type = 0; type < 256; ++type) {
      for (const uint8_t length : {uint8_t{4}, uint8_t{200}}) {
        Bytes header = {58, 0, static_cast<uint8_t>(type), length, 0, 0, 0, 0};
        const Bytes packet = MakeIp({kToUs6.local.address, Ip(to), 0}, header);
        // Pad1 is one byte long: what follows is the option. [RFC 8200 4.2]
        // its two top bits ask for an answer, whatever its length.
        const int option = type == 0 ? length : type;
        const bool answered = to != "ff02::1" && option >= 128;
        EXPECT_EQ(host.Exchange(packet).size(), answered ? 1u : 0u)
            << to << ": option " << type << ", length " << int{length};
      }
    }
  }
}

// [fault X22] what is inside another packet is not for us, whomever it names
TEST(Hardening, TunnelsAreNotOpened) {
  HardenedHost host;
  const SocketId udp = host.stack().UdpOpen({.local = kToUs.remote}).value();
  const Bytes inner = MakeUdp(kToUs, ToBytes("inside"));
  for (const uint8_t protocol : {uint8_t{4}, uint8_t{41}, uint8_t{47}}) {
    for (const FourTuple& tuple : {kToUs, kToUs6}) {
      const std::vector<Bytes> out = host.Exchange(
          MakeIp({tuple.local.address, tuple.remote.address, protocol}, inner));
      ASSERT_EQ(out.size(), 1u);
      EXPECT_EQ(Open(out[0]).transport[0],
                tuple.local.address.IsIpv4() ? 3 : 4);
    }
  }
  EXPECT_FALSE(host.stack().UdpRecv(udp)->has_value());
}

// A packet to itself ("LAND") and others from where nobody can be.
// [RFC 9293 3.9.2.3 MUST-63]
TEST(Hardening, MartiansAreNeverAnswered) {
  HardenedHost host;
  ASSERT_TRUE(host.stack().TcpListen({.local = kToUs.remote}).ok());
  uint64_t sent = 0;
  for (const std::string_view from :
       {"10.0.0.2", "10.0.0.255", "127.0.0.1", "0.0.0.0", "0.1.2.3",
        "224.0.0.1", "255.255.255.255"}) {
    const FourTuple tuple = {{Ip(from), 53}, kToUs.remote};
    EXPECT_TRUE(host.Exchange(MakeTcp(tuple, {.flags = wire::TcpFlags::kSyn,
                                              .options = {}}))
                    .empty());
    EXPECT_TRUE(host.Exchange(MakeUdp(tuple, {})).empty());
    sent += 2;
  }
  for (const std::string_view from : {"2001:db8::2", "::1", "::", "ff02::1"}) {
    EXPECT_TRUE(
        host.Exchange(MakeUdp({{Ip(from), 53}, kToUs6.remote}, {})).empty());
    ++sent;
  }
  EXPECT_EQ(host.Dropped(DropReason::kIpMartian), sent);
}

// [RFC 9293 3.9.2.3 MUST-57] not even by one who answers for every address
TEST(Hardening, ASynToManyIsNeverAnswered) {
  for (const bool any_address : {false, true}) {
    Host host(1, {.name = "x", .any_address = any_address},
              {"10.0.0.2/24", "2001:db8::2/64"});
    ASSERT_TRUE(host.stack().TcpListen({.local = {Ip("::"), 80}}).ok());
    for (const std::string_view to :
         {"10.0.0.255", "255.255.255.255", "224.0.0.1", "ff02::1"}) {
      const FourTuple tuple = {
          {Ip(to).IsIpv4() ? Ip("10.0.0.1") : Ip("2001:db8::1"), 5000},
          {Ip(to), 80}};
      EXPECT_TRUE(host.Exchange(MakeTcp(tuple, {.flags = wire::TcpFlags::kSyn,
                                                .options = {}}))
                      .empty())
          << to << ", any address: " << any_address;
    }
  }
}

// [fault X30] [RFC 1122 3.2.2] only its first fragment says what a packet is
TEST(Hardening, LaterFragmentsAreNeverAnswered) {
  HardenedHost host;
  Bytes packet = MakeUdp(kToUs, Bytes(64, 1));
  packet[7] = 8;
  SealIpv4(packet, 20);
  EXPECT_TRUE(host.Exchange(packet).empty());
  // Nor when the first has not come in time.
  const Instant late = kTestStart + Duration::Seconds(61);
  host.stack().OnTimers(late);
  EXPECT_EQ(host.Dropped(DropReason::kIpReassemblyTimeout), 1u);
  EXPECT_TRUE(host.Drain(late).empty());
}

// [fault X30] 100,000 packets a second to closed ports, from anywhere
TEST(Hardening, AFloodIsAnsweredAtTheSetRateOnly) {
  HardenedHost host;
  SeededRng rng(9);
  const int seconds = 3;
  Instant now = kTestStart;
  PacketBatch batch;
  uint64_t answers = 0;
  for (int i = 0; i < 100'000 * seconds; ++i) {
    const IpEndpoint from = {
        IpAddress::Ipv4(192, static_cast<uint8_t>(rng.Below(256)),
                        static_cast<uint8_t>(rng.Below(256)), 1),
        static_cast<uint16_t>(1 + rng.Below(65535))};
    const IpEndpoint to = {kToUs.remote.address,
                           static_cast<uint16_t>(1 + rng.Below(65535))};
    if (i % 2 == 0) {
      host.Receive(MakeUdp({from, to}, {}), now);
    } else {
      host.Receive(
          MakeTcp({from, to}, {.flags = wire::TcpFlags::kSyn, .options = {}}),
          now);
    }
    if (i % 100 == 0) answers += host.Drain(now).size();
    now += Duration::Microseconds(10);
  }
  const StackConfig config;
  EXPECT_LE(answers, config.unowned_answers_burst +
                         uint64_t{config.unowned_answers_per_second} * seconds);
  EXPECT_GE(answers, uint64_t{config.unowned_answers_per_second} * seconds);
}

// [fault X30] whoever asks too much leaves an answer for others
TEST(Hardening, OneStrangerCannotStarveTheRest) {
  HardenedHost host;
  for (int i = 0; i < 10'000; ++i) {
    host.Receive(MakeUdp(kToUs, {}));
    if (i % 100 == 0) host.Drain();
  }
  host.Drain();
  EXPECT_EQ(
      host.Exchange(MakeUdp({{Ip("10.0.0.9"), 1}, kToUs.remote}, {})).size(),
      1u);
}

}  // namespace
}  // namespace tcpip
