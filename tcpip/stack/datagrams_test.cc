#include "tcpip/stack/datagrams.h"

#include <optional>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tcpip/stack/stack_fixture.h"

namespace tcpip {
namespace {

const IpEndpoint kOwn = {Ip("10.0.0.2"), 53};
const IpEndpoint kPeer = {Ip("10.0.0.1"), 4000};
const IpEndpoint kOwn6 = {Ip("2001:db8::2"), 53};
const IpEndpoint kPeer6 = {Ip("2001:db8::1"), 4000};

class DatagramsTest : public testing::Test {
 protected:
  Stack& stack() { return host_.stack(); }
  SocketId OpenUdp(const UdpOpenOptions& options) {
    return stack().UdpOpen(options).value();
  }
  // The payload of the oldest datagram, or nothing.
  std::optional<Bytes> Read(SocketId id) {
    auto datagram = stack().UdpRecv(id);
    EXPECT_TRUE(datagram.ok());
    if (!datagram.ok() || !*datagram) return std::nullopt;
    return Flatten((*datagram)->payload);
  }
  absl::StatusCode Send(SocketId id, std::optional<IpEndpoint> to,
                        size_t size) {
    return stack().UdpSend(id, to, Bytes(size, 1)).code();
  }
  // The one packet that waits to leave.
  Opened Sent() {
    const std::vector<Bytes> out = host_.Drain();
    EXPECT_EQ(out.size(), 1u);
    return out.empty() ? Opened{} : Open(out[0]);
  }

  Host host_{1, {.name = "x"}, {"10.0.0.2/24", "2001:db8::2/64"}};
};

TEST_F(DatagramsTest, ReceivesWithBothEndpointsEmptyOnesIncluded) {
  const SocketId id = OpenUdp({.local = {Ip("::"), 53}});
  host_.Receive(MakeUdp({kPeer, kOwn}, ToBytes("four")));
  host_.Receive(MakeUdp({kPeer6, kOwn6}, {}));
  const auto first = stack().UdpRecv(id).value();
  ASSERT_TRUE(first);
  EXPECT_EQ(first->source, kPeer);
  EXPECT_EQ(first->destination, kOwn);
  EXPECT_EQ(Flatten(first->payload), ToBytes("four"));
  const auto second = stack().UdpRecv(id).value();
  ASSERT_TRUE(second);
  EXPECT_EQ(second->source, kPeer6);
  EXPECT_EQ(second->payload.size(), 0u);
  EXPECT_FALSE(stack().UdpRecv(id).value());
  EXPECT_EQ(stack().Stats().udp_in_datagrams, 2u);
}

TEST_F(DatagramsTest, ADatagramComesWithWhatItsPacketSaid) {
  const InterfaceId second = stack().AddInterface({.name = "y"});
  const SocketId id = OpenUdp({.local = {Ip("::"), 53}});
  for (const FourTuple& from : {FourTuple{kPeer, kOwn}, {kPeer6, kOwn6}}) {
    const Bytes transport = Open(MakeUdp(from, ToBytes("x"))).transport;
    Packet in =
        Packet::Copy(host_.pool(), MakeIp({.source = from.local.address,
                                           .destination = from.remote.address,
                                           .protocol = 17,
                                           .tos = 0xb9,  // EF, ECT(1)
                                           .ttl = 7},
                                          transport));
    in.set_ingress(kTestStart + Duration::Microseconds(3));
    // Processed later than it came.
    stack().OnPackets(second, {&in, 1}, kTestStart + Duration::Seconds(1));
    const auto datagram = stack().UdpRecv(id).value();
    ASSERT_TRUE(datagram);
    EXPECT_EQ(datagram->destination, from.remote);
    EXPECT_EQ(datagram->interface, second);
    EXPECT_EQ(datagram->ttl, 7);
    EXPECT_EQ(datagram->tos, 0xb9);
    EXPECT_EQ(datagram->arrival, kTestStart + Duration::Microseconds(3));
  }
}

TEST_F(DatagramsTest, AShortReadLosesTheRestAndAPeekNothing) {
  const SocketId id = OpenUdp({.local = kOwn});
  host_.Receive(MakeUdp({kPeer, kOwn}, ToBytes("twelve bytes")));
  host_.Receive(MakeUdp({kPeer, kOwn}, ToBytes("next")));
  for (const bool peek : {true, false}) {
    const auto datagram =
        stack().UdpRecv(id, {.max_bytes = 6, .peek = peek}).value();
    ASSERT_TRUE(datagram);
    EXPECT_EQ(Flatten(datagram->payload), ToBytes("twelve"));
    EXPECT_EQ(datagram->size, 12u);
    EXPECT_TRUE(stack().GetReadiness(id)->readable);
  }
  EXPECT_EQ(Read(id), ToBytes("next"));
  EXPECT_FALSE(stack().GetReadiness(id)->readable);
}

TEST_F(DatagramsTest, AFullQueueDropsCounted) {
  const SocketId id = OpenUdp({.local = kOwn, .receive_queue_bytes = 10'000});
  for (int i = 0; i < 50; ++i) {
    host_.Receive(MakeUdp({kPeer, kOwn}, ToBytes("x")));
  }
  int read = 0;
  while (Read(id)) ++read;
  EXPECT_GE(read, 3);
  EXPECT_EQ(host_.Dropped(DropReason::kUdpQueueFull), 50u - read);
}

TEST_F(DatagramsTest, SendsFromTheRightAddress) {
  const SocketId id = OpenUdp({.local = {Ip("::"), 53}});
  for (const IpEndpoint& to : {kPeer, kPeer6}) {
    ASSERT_TRUE(stack().UdpSend(id, to, ToBytes("answer")).ok());
    const Opened opened = Sent();
    EXPECT_EQ(opened.ip.source, to == kPeer ? kOwn.address : kOwn6.address);
    EXPECT_EQ(opened.ip.destination, to.address);
    EXPECT_TRUE(opened.transport_checksum_good);
    EXPECT_EQ(LoadBe16(&opened.transport[0]), 53);
    EXPECT_EQ(LoadBe16(&opened.transport[2]), 4000);
  }
}

// A server on the wildcard answers from the address that was asked.
TEST_F(DatagramsTest, SendsFromAGivenAddressOfOurs) {
  ASSERT_TRUE(stack().AddAddress(host_.link(), Net("10.0.0.9/24")).ok());
  const SocketId id = OpenUdp({.local = {Ip("::"), 53}});
  const auto send = [this, id](const IpEndpoint& to, const char* source) {
    return stack().UdpSend(id, to, {}, {.source = Ip(source)}).code();
  };
  for (const char* source : {"10.0.0.9", "10.0.0.2"}) {
    EXPECT_EQ(send(kPeer, source), absl::StatusCode::kOk);
    EXPECT_EQ(Sent().ip.source, Ip(source));
  }
  EXPECT_EQ(send(kPeer, "0.0.0.0"), absl::StatusCode::kOk);  // none given
  EXPECT_EQ(Sent().ip.source, kOwn.address);
  for (const char* source : {"10.0.0.8", "2001:db8::2", "224.0.0.1"}) {
    EXPECT_EQ(send(kPeer, source), absl::StatusCode::kInvalidArgument);
  }
}

struct Marks {
  UdpSettings settings;
  UdpControl control;
  uint8_t ttl;
  uint8_t tos;
};

// [RFC 1122 4.1.4] the user sets TTL and TOS: of the socket, of a datagram
TEST_F(DatagramsTest, PacketsAreMarkedByDatagramElseSocketElseStack) {
  const Marks table[] = {
      {{}, {}, 64, 0},
      {{.ttl = 9, .tos = 0x2e}, {}, 9, 0x2e},
      {{.ttl = 9, .tos = 0x2e}, {.ttl = 1}, 1, 0x2e},
      {{.ttl = 9, .tos = 0x2e}, {.tos = 0}, 9, 0},
      {{}, {.ttl = 255, .tos = 0xff}, 255, 0xff},
      {{}, {.ttl = 0}, 64, 0},
      // [RFC 3168 5] each of the ECN codepoints
      {{.tos = 1}, {}, 64, 1},
      {{.tos = 1}, {.tos = 2}, 64, 2},
      {{.tos = 1}, {.tos = 3}, 64, 3},
  };
  for (const bool at_open : {true, false}) {
    for (const Marks& marks : table) {
      UdpOpenOptions options = {.local = {Ip("::"), 0}};
      if (at_open) options.settings = marks.settings;
      const SocketId id = OpenUdp(options);
      if (!at_open) {
        ASSERT_TRUE(stack().UdpSetSettings(id, marks.settings).ok());
      }
      for (const IpEndpoint& to : {kPeer, kPeer6}) {
        ASSERT_TRUE(stack().UdpSend(id, to, {}, marks.control).ok());
        const Opened opened = Sent();
        EXPECT_EQ(opened.ip.ttl, marks.ttl);
        EXPECT_EQ(opened.ip.tos, marks.tos);
      }
    }
  }
}

// [fault U10] too large is an error at once, whatever the limit
TEST_F(DatagramsTest, SizesAreChecked) {
  const SocketId id = OpenUdp({.local = {Ip("::"), 53}});
  EXPECT_EQ(Send(id, kPeer, 0), absl::StatusCode::kOk);
  EXPECT_EQ(Send(id, kPeer, 65507), absl::StatusCode::kOk);
  EXPECT_EQ(Send(id, kPeer6, 65527), absl::StatusCode::kOk);
  EXPECT_EQ(Send(id, kPeer, 65508), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Send(id, kPeer6, 65528), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Send(id, kPeer, 1 << 20), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(host_.Drain().size(), 1u + 45 + 46);
}

// [fault U14]
TEST_F(DatagramsTest, WhatMayNotBeFragmentedIsRefusedWithThePathsMtu) {
  const SocketId id =
      OpenUdp({.local = {Ip("::"), 53}, .settings = {.dont_fragment = true}});
  for (const auto& [to, largest] :
       {std::pair(kPeer, 1472), std::pair(kPeer6, 1452)}) {
    const size_t size = static_cast<size_t>(largest);
    EXPECT_EQ(Send(id, to, size), absl::StatusCode::kOk);
    const absl::Status status = stack().UdpSend(id, to, Bytes(size + 1));
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(status.message(),
              "message too long: a packet of 1501 bytes exceeds the path's MTU "
              "of 1500");
    EXPECT_EQ(*stack().UdpGetPathMtu(id, to), 1500u);
  }
  EXPECT_EQ(stack().UdpGetPathMtu(id).status().code(),
            absl::StatusCode::kInvalidArgument);
  ASSERT_TRUE(stack().UdpConnect(id, kPeer6).ok());
  EXPECT_EQ(*stack().UdpGetPathMtu(id), 1500u);
}

TEST_F(DatagramsTest, DestinationsAreChecked) {
  const SocketId id = OpenUdp({.local = {Ip("::"), 53}});
  EXPECT_EQ(Send(id, std::nullopt, 1), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Send(id, IpEndpoint{kPeer.address, 0}, 1),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Send(id, IpEndpoint{Ip("192.0.2.1"), 1}, 1),
            absl::StatusCode::kUnavailable);
  for (const char* group :
       {"224.0.0.1", "ff02::1", "255.255.255.255", "10.0.0.255"}) {
    EXPECT_EQ(Send(id, IpEndpoint{Ip(group), 1}, 1),
              absl::StatusCode::kInvalidArgument)
        << group;
  }
  EXPECT_TRUE(host_.Drain().empty());
}

// [fault U06] each of many queries from one port is answered
TEST_F(DatagramsTest, FiftyQueriesFromOnePortGetFiftyAnswers) {
  StackPair pair({.name = "x"});
  Stack& a = pair.a().stack();
  Stack& b = pair.b().stack();
  const SocketId client = a.UdpOpen({.local = {Ip("0.0.0.0"), 0}}).value();
  const SocketId server = b.UdpOpen({.local = {Ip("0.0.0.0"), 53}}).value();
  for (uint8_t i = 0; i < 50; ++i) {
    ASSERT_TRUE(a.UdpSend(client, kOwn, Bytes(40, i)).ok());
    pair.RunFor(Duration::Microseconds(20));
  }
  ASSERT_TRUE(pair.RunUntil([&] {
    while (const auto query = b.UdpRecv(server).value()) {
      EXPECT_TRUE(
          b.UdpSend(server, query->source, Flatten(query->payload)).ok());
    }
    return b.Stats().udp_out_datagrams == 50;
  }));
  pair.RunFor(Duration::Milliseconds(20));
  for (uint8_t i = 0; i < 50; ++i) {
    const auto answer = a.UdpRecv(client).value();
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->source, kOwn);
    EXPECT_EQ(Flatten(answer->payload), Bytes(40, i));
  }
}

TEST_F(DatagramsTest, TheLargestDatagramsPassWhereTheMtuAllows) {
  Host lo(1, {.name = "lo", .link = {.mtu = 65575}, .loopback = true},
          {"127.0.0.1/8", "::1/128"});
  const SocketId id = lo.stack().UdpOpen({.local = {Ip("::"), 53}}).value();
  for (const auto& [to, most] :
       {std::pair(Ip("127.0.0.1"), 65507), std::pair(Ip("::1"), 65527)}) {
    const IpEndpoint remote = {to, 53};
    EXPECT_TRUE(lo.stack().UdpSend(id, remote, Bytes(most, 7)).ok());
    EXPECT_EQ(lo.stack().UdpSend(id, remote, Bytes(most + 1, 7)).code(),
              absl::StatusCode::kInvalidArgument);
    for (const Bytes& packet : lo.Drain()) lo.Receive(packet);
    const auto datagram = lo.stack().UdpRecv(id).value();
    ASSERT_TRUE(datagram);
    EXPECT_EQ(datagram->payload.size(), static_cast<size_t>(most));
  }
}

// Back-pressure is an answer, never a silent drop.
TEST_F(DatagramsTest, AFullSendQueueIsAnError) {
  StackConfig config;
  config.max_control_packets = 4;
  Host host(1, {.name = "x"}, {"10.0.0.2/24"}, config);
  const SocketId id = host.stack().UdpOpen({.local = kOwn}).value();
  for (int i = 0; i < 4; ++i) {
    EXPECT_TRUE(host.stack().UdpSend(id, kPeer, {}).ok());
  }
  EXPECT_EQ(host.stack().UdpSend(id, kPeer, {}).code(),
            absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(host.Drain().size(), 4u);
  EXPECT_TRUE(host.stack().UdpSend(id, kPeer, {}).ok());
}

TEST_F(DatagramsTest, ReadableIsReportedOncePerArrivalAfterADrain) {
  const SocketId id = OpenUdp({.local = kOwn});
  EXPECT_FALSE(stack().NextReady());
  for (int round = 0; round < 2; ++round) {
    host_.Receive(MakeUdp({kPeer, kOwn}, ToBytes("1")));
    host_.Receive(MakeUdp({kPeer, kOwn}, ToBytes("2")));
    const auto event = stack().NextReady();
    ASSERT_TRUE(event);
    EXPECT_EQ(event->socket, id);
    EXPECT_TRUE(event->readiness.readable);
    EXPECT_FALSE(stack().NextReady());
    EXPECT_TRUE(Read(id) && Read(id));
  }
}

class PingTest : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Families, PingTest,
                         testing::Values("10.0.0.2", "2001:db8::2"),
                         [](const auto& i) {
                           return Ip(i.param).IsIpv4() ? "Ipv4" : "Ipv6";
                         });

TEST_P(PingTest, AnotherStackAnswersInTheTimeOfTheWire) {
  StackPair pair({.name = "x"});
  pair.set_delay(Duration::Milliseconds(7));
  Stack& a = pair.a().stack();
  const SocketId id = a.EchoOpen(Ip(GetParam())).value();
  const SocketId other = a.EchoOpen(Ip(GetParam())).value();
  ASSERT_TRUE(a.EchoSend(id, 3, 56, pair.now()).ok());
  ASSERT_TRUE(a.EchoSend(id, 4, 1400, pair.now()).ok());
  ASSERT_TRUE(a.EchoSend(id, 5, 20000, pair.now()).ok());
  EXPECT_EQ(a.EchoSend(id, 6, 65528, pair.now()).code(),
            absl::StatusCode::kInvalidArgument);
  pair.RunFor(Duration::Milliseconds(20));
  EXPECT_EQ(a.NextReady()->socket, id);
  for (const auto& [seq, size] :
       {std::pair(3, 56), std::pair(4, 1400), std::pair(5, 20000)}) {
    const auto reply = a.EchoRecv(id).value();
    ASSERT_TRUE(reply);
    EXPECT_EQ(reply->seq, seq);
    EXPECT_EQ(reply->payload_bytes, static_cast<size_t>(size));
    EXPECT_EQ(reply->source, Ip(GetParam()));
    EXPECT_EQ(reply->ttl, 64);
    EXPECT_EQ(reply->rtt, Duration::Milliseconds(14));
  }
  EXPECT_FALSE(a.EchoRecv(id).value());
  EXPECT_FALSE(a.EchoRecv(other).value());
  EXPECT_TRUE(a.Close(id, pair.now()).ok());
  ASSERT_TRUE(a.EchoSend(other, 1, 0, pair.now()).ok());
  pair.RunFor(Duration::Milliseconds(20));
  EXPECT_TRUE(a.EchoRecv(other).value());
}

TEST_F(DatagramsTest, AnEchoReplyComesToWhereTheRequestLeftFrom) {
  ASSERT_TRUE(stack().AddAddress(host_.link(), Net("10.0.0.3/24")).ok());
  const SocketId id = stack().EchoOpen(kPeer.address).value();
  ASSERT_TRUE(stack().EchoSend(id, 2, 0, kTestStart).ok());
  const Opened request = Open(host_.Drain().at(0));
  EXPECT_EQ(request.ip.source, kOwn.address);
  const uint32_t word = LoadBe32(&request.transport[4]);
  for (const IpAddress& to : {Ip("10.0.0.3"), kOwn.address}) {
    host_.Receive(MakeIcmp({kPeer.address, to, 1}, 0, word, {}));
    EXPECT_EQ(stack().EchoRecv(id)->has_value(), to == kOwn.address);
  }
  EXPECT_EQ(host_.Dropped(DropReason::kIcmpIgnored), 1u);
}

TEST_F(DatagramsTest, AnUnaskedEchoReplyIsIgnored) {
  host_.Receive(MakeIcmp({kPeer.address, kOwn.address, 1}, 0, 0x00010002, {}));
  EXPECT_EQ(host_.Dropped(DropReason::kIcmpIgnored), 1u);
}

}  // namespace
}  // namespace tcpip
