#include "tcpip/network/icmp.h"

#include <algorithm>
#include <utility>

#include "gtest/gtest.h"
#include "tcpip/base/checksum.h"
#include "tcpip/network/ip.h"
#include "tcpip/testing/packet_reader.h"
#include "tcpip/wire/ipv4.h"
#include "tcpip/wire/ipv6.h"
#include "tcpip/wire/tcp.h"

namespace tcpip::ip {
namespace {

using sim::Bytes;
using sim::Flatten;

struct Pair {
  IpAddress peer;
  IpAddress own;
  uint8_t protocol;
  bool v4() const { return own.IsIpv4(); }
};

const Pair kPairs[] = {
    {IpAddress::Ipv4(10, 0, 0, 1), IpAddress::Ipv4(10, 0, 0, 2), wire::kIcmp},
    {IpAddress::Parse("2001:db8::1").value(),
     IpAddress::Parse("2001:db8::2").value(), wire::kIcmpv6},
};

PartialSum SumOf(const Pair& pair, ByteSpan message) {
  PartialSum sum;
  if (!pair.v4()) {
    sum = wire::PseudoHeaderSum(pair.peer, pair.own, pair.protocol,
                                static_cast<uint32_t>(message.size()));
  }
  return sum.Combine(SumBytes(message), 0);
}

// An ICMP message from the peer: type, code, four bytes, payload.
Bytes Message(const Pair& pair, uint8_t type, uint8_t code, uint32_t word,
              const Bytes& payload) {
  Bytes message = {type, code, 0, 0, 0, 0, 0, 0};
  StoreBe32(&message[4], word);
  message.insert(message.end(), payload.begin(), payload.end());
  StoreBe16(&message[2], SumOf(pair, message).Checksum());
  return message;
}

InboundIp Facts(const Pair& pair, size_t transport_size) {
  const uint32_t header = HeaderSize(pair.own.family());
  return {.source = pair.peer,
          .destination = pair.own,
          .protocol = pair.protocol,
          .tos = 0xb8,
          .ttl = 61,
          .header_size = header,
          .size = static_cast<uint32_t>(header + transport_size)};
}

Bytes Pattern(size_t size) {
  Bytes bytes(size);
  for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<uint8_t>(i * 7);
  return bytes;
}

TEST(ParseIcmpPacket, VerifiesTheChecksum) {
  SlabPool pool;
  for (const Pair& pair : kPairs) {
    const uint8_t type = pair.v4() ? 8 : 128;
    Bytes message = Message(pair, type, 0, 0x12340001, Pattern(57));
    const InboundIp ip = Facts(pair, message.size());
    const ParsedIcmp good = ParseIcmpPacket(Packet::Copy(pool, message), ip);
    ASSERT_FALSE(good.drop);
    EXPECT_EQ(good.message.kind, wire::IcmpKind::kEchoRequest);
    EXPECT_EQ(good.message.echo_id, 0x1234);
    for (size_t i = 0; i < message.size(); ++i) {
      message[i] ^= 0x10;
      EXPECT_EQ(ParseIcmpPacket(Packet::Copy(pool, message), ip).drop,
                DropReason::kIcmpBadChecksum)
          << "byte " << i;
      message[i] ^= 0x10;
    }
  }
}

TEST(ParseIcmpPacket, RefusesWhatIsCutOff) {
  SlabPool pool;
  for (size_t size = 0; size < 8; ++size) {
    EXPECT_EQ(
        ParseIcmpPacket(Packet::Copy(pool, Bytes(size)), Facts(kPairs[0], size))
            .drop,
        DropReason::kIcmpTruncated);
  }
}

// [fault I01] same id, sequence number, payload and TOS; any size
TEST(MakeEchoReply, ReturnsWhatWasSentWhateverItsSize) {
  SlabPool pool;
  for (const Pair& pair : kPairs) {
    for (const size_t size : {0u, 1u, 56u, 1472u, 3000u, 65000u}) {
      const Bytes payload = Pattern(size);
      const Bytes request =
          Message(pair, pair.v4() ? 8 : 128, 0, 0xabcd0102, payload);
      const InboundIp ip = Facts(pair, request.size());
      Packet packet = Packet::Copy(pool, request);
      const ParsedIcmp parsed = ParseIcmpPacket(packet, ip);
      ASSERT_FALSE(parsed.drop);
      const Packet reply =
          MakeEchoReply(pool, std::move(packet), ip, parsed.message, 64);

      const Bytes bytes = Flatten(reply);
      const InputVerdict sent = CheckIp(reply, Ingress::kLink);
      ASSERT_FALSE(sent.drop);
      EXPECT_EQ(sent.ip.source, pair.own);
      EXPECT_EQ(sent.ip.destination, pair.peer);
      EXPECT_EQ(sent.ip.tos, 0xb8);
      EXPECT_EQ(sent.ip.ttl, 64);
      // Only type and checksum may differ from the request.
      const ByteSpan message = ByteSpan(bytes).subspan(sent.ip.header_size);
      ASSERT_EQ(message.size(), request.size());
      EXPECT_EQ(message[0], pair.v4() ? 0 : 129);
      EXPECT_EQ(message[1], 0);
      EXPECT_TRUE(
          std::equal(message.begin() + 4, message.end(), request.begin() + 4));
      EXPECT_TRUE(SumOf(pair, message).IsValid());
    }
  }
  EXPECT_EQ(pool.stats().live, 0u);
}

// The reply to this one is nothing but zeros and its checksum.
TEST(MakeEchoReply, IsValidOverNothingButZeros) {
  SlabPool pool;
  const Pair& pair = kPairs[0];
  const Bytes request = Message(pair, 8, 0, 0, Bytes());
  const InboundIp ip = Facts(pair, request.size());
  Packet packet = Packet::Copy(pool, request);
  const ParsedIcmp parsed = ParseIcmpPacket(packet, ip);
  const Bytes reply =
      Flatten(MakeEchoReply(pool, std::move(packet), ip, parsed.message, 64));
  EXPECT_TRUE(SumBytes(ByteSpan(reply).subspan(20)).IsValid());
}

TEST(MakeEchoReply, ClearsTheCode) {
  SlabPool pool;
  const Pair& pair = kPairs[0];
  const Bytes request = Message(pair, 8, 77, 1, Pattern(5));
  const InboundIp ip = Facts(pair, request.size());
  Packet packet = Packet::Copy(pool, request);
  const ParsedIcmp parsed = ParseIcmpPacket(packet, ip);
  const Bytes reply =
      Flatten(MakeEchoReply(pool, std::move(packet), ip, parsed.message, 64));
  EXPECT_EQ(reply[20], 0);
  EXPECT_EQ(reply[21], 0);
  EXPECT_TRUE(SumBytes(ByteSpan(reply).subspan(20)).IsValid());
}

TEST(MakeEchoRequest, IsCompleteForBothFamilies) {
  SlabPool pool;
  for (const Pair& pair : kPairs) {
    const Bytes payload = Pattern(33);
    ViewChain chain;
    chain.AppendCopy(pool, payload);
    Packet packet =
        MakeEchoRequest(pool, pair.own, pair.peer, 7, 9, std::move(chain), 64);
    const InputVerdict sent = CheckIp(packet, Ingress::kLink);
    ASSERT_FALSE(sent.drop);
    EXPECT_EQ(sent.ip.source, pair.own);
    EXPECT_EQ(sent.ip.destination, pair.peer);
    EXPECT_EQ(sent.ip.protocol, pair.protocol);
    EXPECT_EQ(sent.ip.ttl, 64);
    packet.TrimFront(sent.ip.header_size);
    const ParsedIcmp parsed = ParseIcmpPacket(packet, sent.ip);
    ASSERT_FALSE(parsed.drop);
    EXPECT_EQ(parsed.message.kind, wire::IcmpKind::kEchoRequest);
    EXPECT_EQ(parsed.message.echo_id, 7);
    EXPECT_EQ(parsed.message.echo_seq, 9);
    packet.TrimFront(wire::kIcmpHeaderSize);
    EXPECT_EQ(Flatten(packet), payload);
  }
}

// A whole IP packet from the peer.
Packet WholePacket(SlabPool& pool, const Pair& pair, uint8_t protocol,
                   const Bytes& transport) {
  Packet packet = Packet::Copy(pool, transport);
  PrependIp(
      packet,
      {.source = pair.peer, .destination = pair.own, .protocol = protocol});
  return packet;
}

InboundIp FactsOf(const Packet& packet) {
  const InputVerdict verdict = CheckIp(packet, Ingress::kLink);
  EXPECT_FALSE(verdict.drop);
  return verdict.ip;
}

// [fault X30] [RFC 1812 4.3.2.3], [RFC 4443 2.4(c)]
TEST(MakeIcmpError, QuotesAsMuchAsFits) {
  SlabPool pool;
  for (const Pair& pair : kPairs) {
    const size_t most = pair.v4() ? 576 : 1280;
    for (const size_t size : {8u, 500u, 1232u, 1300u, 9000u}) {
      const Packet packet = WholePacket(pool, pair, wire::kUdp, Pattern(size));
      const Packet error =
          MakeIcmpError(pool, {.kind = wire::IcmpKind::kPortUnreachable},
                        packet, FactsOf(packet), pair.own, 64);
      const Bytes bytes = Flatten(error);
      const Bytes original = Flatten(packet);
      const size_t headers = HeaderSize(pair.own.family()) + 8;
      EXPECT_EQ(bytes.size(), std::min(most, original.size() + headers));
      EXPECT_TRUE(
          std::equal(bytes.begin() + headers, bytes.end(), original.begin()));
      const ByteSpan message = ByteSpan(bytes).subspan(headers - 8);
      EXPECT_EQ(message[0], pair.v4() ? 3 : 1);
      EXPECT_EQ(message[1], pair.v4() ? 3 : 4);
      EXPECT_TRUE(SumOf(pair, message).IsValid());
      EXPECT_EQ(FactsOf(error).destination, pair.peer);
    }
  }
}

// [fault I10] where a packet is too big, the size that is not
TEST(MakeIcmpError, NamesTheMtuOfTheNextHop) {
  SlabPool pool;
  for (const Pair& pair : kPairs) {
    const Packet packet = WholePacket(pool, pair, wire::kUdp, Pattern(1400));
    const Bytes error = Flatten(MakeIcmpError(
        pool, {.kind = wire::IcmpKind::kPacketTooBig, .mtu = 1281}, packet,
        FactsOf(packet), pair.own, 64));
    const uint8_t* const icmp = &error[HeaderSize(pair.own.family())];
    EXPECT_EQ(icmp[0], pair.v4() ? 3 : 2);
    EXPECT_EQ(icmp[1], pair.v4() ? 4 : 0);
    EXPECT_EQ(LoadBe32(icmp + 4), 1281u);
  }
}

struct AnswerCase {
  const char* name;
  uint8_t type;
  bool want;
};

// [fault X30] [RFC 1122 3.2.2] never an error about an error
TEST(MayAnswerWithError, NeverAboutErrors) {
  SlabPool pool;
  const AnswerCase v4[] = {
      {"EchoReply", 0, true},     {"Unreachable", 3, false},
      {"SourceQuench", 4, false}, {"Redirect", 5, false},
      {"EchoRequest", 8, true},   {"TimeExceeded", 11, false},
      {"Problem", 12, false},     {"Timestamp", 13, true}};
  const AnswerCase v6[] = {{"Unreachable", 1, false},
                           {"TooBig", 2, false},
                           {"Future", 100, false},
                           {"EchoRequest", 128, true},
                           {"Neighbor", 135, true}};
  for (const AnswerCase& c : v4) {
    const Packet packet = WholePacket(pool, kPairs[0], wire::kIcmp,
                                      Message(kPairs[0], c.type, 0, 0, {}));
    EXPECT_EQ(MayAnswerWithError(packet, FactsOf(packet)), c.want) << c.name;
  }
  for (const AnswerCase& c : v6) {
    const Packet packet = WholePacket(pool, kPairs[1], wire::kIcmpv6,
                                      Message(kPairs[1], c.type, 0, 0, {}));
    EXPECT_EQ(MayAnswerWithError(packet, FactsOf(packet)), c.want) << c.name;
  }
}

TEST(MayAnswerWithError, NeverAboutMulticastOrBroadcast) {
  SlabPool pool;
  const Packet packet = WholePacket(pool, kPairs[0], wire::kUdp, Pattern(8));
  InboundIp ip = FactsOf(packet);
  EXPECT_TRUE(MayAnswerWithError(packet, ip));
  for (const char* to : {"224.0.0.1", "255.255.255.255", "ff02::1"}) {
    ip.destination = IpAddress::Parse(to).value();
    EXPECT_FALSE(MayAnswerWithError(packet, ip)) << to;
  }
}

// The error a router would send about `sent`.
wire::IcmpMessage ErrorAbout(ByteSpan sent) {
  wire::IcmpMessage message;
  message.kind = wire::IcmpKind::kPortUnreachable;
  message.payload = sent;
  return message;
}

TEST(ReadIcmpError, FindsTheFlowInTheQuote) {
  SlabPool pool;
  for (const Pair& pair : kPairs) {
    Bytes tcp(20);
    wire::EmitTcp({.source_port = 1000,
                   .destination_port = 80,
                   .seq = 0xfeedbeef,
                   .flags = {},
                   .options = {}},
                  tcp);
    const Bytes sent = Flatten(WholePacket(pool, pair, wire::kTcp, tcp));
    const size_t enough = HeaderSize(pair.own.family()) + 8;
    for (size_t size = 0; size <= sent.size(); ++size) {
      const auto notice = ReadIcmpError(ErrorAbout(ByteSpan(sent).first(size)),
                                        pair.own.family());
      ASSERT_EQ(notice.has_value(), size >= enough) << size;
      if (!notice) continue;
      EXPECT_EQ(notice->kind, wire::IcmpKind::kPortUnreachable);
      EXPECT_EQ(notice->protocol, wire::kTcp);
      EXPECT_EQ(notice->seq, 0xfeedbeef);
      EXPECT_EQ(notice->tuple.local, (IpEndpoint{pair.peer, 1000}));
      EXPECT_EQ(notice->tuple.remote, (IpEndpoint{pair.own, 80}));
    }
  }
}

TEST(ReadIcmpError, IgnoresQuotesOfNoTransport) {
  SlabPool pool;
  const Pair& pair = kPairs[0];
  const Bytes timestamp = Message(pair, 13, 0, 0, Pattern(12));
  const Bytes sent = Flatten(WholePacket(pool, pair, wire::kIcmp, timestamp));
  EXPECT_FALSE(ReadIcmpError(ErrorAbout(sent), IpFamily::kIpv4));
  EXPECT_FALSE(ReadIcmpError(ErrorAbout(sent), IpFamily::kIpv6));
}

// Routers quote what they have made of a packet: the TTL one less, the length
// in another byte order, the checksum gone.
TEST(ReadIcmpError, OverlooksWhatRoutersDoToAnIpv4Header) {
  SlabPool pool;
  Bytes sent = Flatten(WholePacket(pool, kPairs[0], wire::kUdp, Pattern(8)));
  sent[2] = 0xff;
  sent[8] = 1;
  sent[10] ^= 0x5a;
  EXPECT_TRUE(ReadIcmpError(ErrorAbout(sent), IpFamily::kIpv4));
  sent[0] = 0x44;  // a header of 16 bytes
  EXPECT_FALSE(ReadIcmpError(ErrorAbout(sent), IpFamily::kIpv4));
  sent[0] = 0x4f;  // a header of more than all
  EXPECT_FALSE(ReadIcmpError(ErrorAbout(sent), IpFamily::kIpv4));
  sent[0] = 0x65;
  EXPECT_FALSE(ReadIcmpError(ErrorAbout(sent), IpFamily::kIpv4));
}

// Only the first fragment has the ports.
TEST(ReadIcmpError, FindsTheFlowInAFirstFragment) {
  SlabPool pool;
  Bytes v4 = Flatten(WholePacket(pool, kPairs[0], wire::kUdp, Pattern(8)));
  v4[6] = 0x20;  // more fragments
  EXPECT_TRUE(ReadIcmpError(ErrorAbout(v4), IpFamily::kIpv4));
  v4[7] = 1;
  EXPECT_FALSE(ReadIcmpError(ErrorAbout(v4), IpFamily::kIpv4));

  Bytes v6 = Flatten(WholePacket(pool, kPairs[1], wire::kUdp, Pattern(8)));
  v6[6] = 44;
  v6[5] = 16;
  const Bytes header = {wire::kUdp, 0, 0, 1, 1, 2, 3, 4};
  v6.insert(v6.begin() + 40, header.begin(), header.end());
  const auto notice = ReadIcmpError(ErrorAbout(v6), IpFamily::kIpv6);
  ASSERT_TRUE(notice);
  EXPECT_EQ(notice->protocol, wire::kUdp);
  EXPECT_EQ(notice->tuple.local, (IpEndpoint{kPairs[1].peer, 0x0007}));
  v6[43] = 8;  // the second eight bytes
  EXPECT_FALSE(ReadIcmpError(ErrorAbout(v6), IpFamily::kIpv6));
}

TEST(ReadIcmpError, FindsThePingInTheQuote) {
  SlabPool pool;
  for (const Pair& pair : kPairs) {
    for (const bool reply : {false, true}) {
      const auto type = static_cast<uint8_t>(reply ? (pair.v4() ? 0 : 129)
                                                   : (pair.v4() ? 8 : 128));
      const Bytes echo = Message(pair, type, 0, 0xbeef0001, Pattern(20));
      const Bytes sent = Flatten(WholePacket(pool, pair, pair.protocol, echo));
      const auto notice = ReadIcmpError(ErrorAbout(sent), pair.own.family());
      ASSERT_TRUE(notice);
      EXPECT_EQ(notice->protocol, pair.protocol);
      EXPECT_EQ(notice->tuple.local, (IpEndpoint{pair.peer, 0xbeef}));
      EXPECT_EQ(notice->tuple.remote, (IpEndpoint{pair.own, 0}));
      EXPECT_EQ(notice->of_echo_reply, reply);
    }
  }
}

TEST(ReadIcmpError, IgnoresMessagesThatAreNoErrors) {
  SlabPool pool;
  const Bytes sent =
      Flatten(WholePacket(pool, kPairs[0], wire::kUdp, Pattern(8)));
  wire::IcmpMessage message = ErrorAbout(sent);
  message.kind = wire::IcmpKind::kOther;
  EXPECT_FALSE(ReadIcmpError(message, IpFamily::kIpv4));
}

}  // namespace
}  // namespace tcpip::ip
