#include "conformance/packet_codec.h"

#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "tcpip/testing/packet_builder.h"
#include "tcpip/testing/packet_reader.h"
#include "tcpip/wire/icmp.h"

namespace conformance {
namespace {

using tcpip::IpAddress;
using tcpip::wire::TcpFlags;

FlowMap Flow(const char* local = "192.168.0.1",
             const char* remote = "192.0.2.1") {
  FlowMap flow(/*ticking_timestamps=*/true);
  flow.local = {*IpAddress::Parse(local), 8080};
  flow.remote = {*IpAddress::Parse(remote), 40000};
  flow.local_seq.Learn(0, 1000);
  flow.remote_seq.Learn(0, 5000);
  flow.timestamps.Learn(100, 700);
  return flow;
}

PacketSpec Inbound(TcpSpec tcp) {
  PacketSpec packet;
  packet.transport = std::move(tcp);
  return packet;
}

TEST(ToWireTest, NumbersAndAddressesAreThoseOfTheFlow) {
  TcpSpec tcp;
  tcp.flags = TcpFlags(TcpFlags::kAck | TcpFlags::kPsh);
  tcp.start = 1;
  tcp.end = 11;
  tcp.length = 10;
  tcp.ack = 21;
  tcp.window = 257;
  tcp.options = {
      option::Nop{}, option::Nop{}, option::Timestamps{.val = 9, .ecr = 130},
      option::Nop{}, option::Nop{}, option::Sack{.blocks = {{1, 5}}}};
  const auto bytes = ToWire(Inbound(tcp), Flow());
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  const auto read = tcpip::sim::Read(*bytes);
  ASSERT_TRUE(read && read->tcp);
  EXPECT_TRUE(read->checksum_valid);
  EXPECT_EQ(read->source.ToString(), "192.0.2.1");
  EXPECT_EQ(read->destination.ToString(), "192.168.0.1");
  EXPECT_EQ(read->tcp->header.source_port, 40000);
  EXPECT_EQ(read->tcp->header.destination_port, 8080);
  EXPECT_EQ(read->tcp->header.seq, 5001u);
  EXPECT_EQ(read->tcp->header.ack, 1021u);
  EXPECT_EQ(read->tcp->header.window, 257);
  EXPECT_EQ(read->tcp->payload.size(), 10u);
  EXPECT_EQ(read->tcp->options.timestamps,
            (tcpip::wire::TcpTimestamps{.tsval = 9, .tsecr = 730}));
  ASSERT_EQ(read->tcp->options.sack_block_count, 1);
  EXPECT_EQ(read->tcp->options.sack_blocks[0],
            (tcpip::wire::SackBlock{1001, 1005}));
}

TEST(ToWireTest, IpInformationIsWritten) {
  TcpSpec tcp;
  tcp.flags = TcpFlags(TcpFlags::kRst);
  PacketSpec packet = Inbound(tcp);
  packet.ip.ecn = IpSpec::Ecn::kCe;
  packet.ip.ttl = 3;
  const auto read = tcpip::sim::Read(*ToWire(packet, Flow()));
  EXPECT_EQ(read->tos, 3);
  EXPECT_EQ(read->ttl, 3);
  packet.ip = {.tos = 0xb8, .flow_label = 0x12345};
  const auto v6 = ToWire(packet, Flow("fd3d:fa7b:d17d::1", "2001:db8::1"));
  EXPECT_EQ(tcpip::LoadBe32(v6->data()) & 0xfffff, 0x12345u);
  EXPECT_EQ(tcpip::sim::Read(*v6)->tos, 0xb8);
}

TEST(ToWireTest, AnEchoOfWhatWasNeverSentIsRefused) {
  FlowMap flow(true);
  TcpSpec tcp;
  tcp.flags = TcpFlags(TcpFlags::kAck);
  tcp.ack = 1;
  tcp.options = {option::Timestamps{.val = 1, .ecr = 55}};
  EXPECT_TRUE(absl::IsInvalidArgument(ToWire(Inbound(tcp), flow).status()));
}

TEST(ToWireTest, TunnelsAreNotCarried) {
  PacketSpec packet = Inbound({});
  packet.encapsulation = {"gre"};
  EXPECT_TRUE(absl::IsUnimplemented(ToWire(packet, Flow()).status()));
}

// [RFC 9768 3.1]
TEST(ToWireTest, TheAceDigitIsThreeBits) {
  for (const int ace : {0, 1, 2, 3, 4, 5, 6, 7}) {
    TcpSpec tcp;
    tcp.flags = TcpFlags(TcpFlags::kAck);
    tcp.ace = static_cast<uint8_t>(ace);
    const auto bytes = ToWire(Inbound(tcp), Flow());
    ASSERT_TRUE(bytes.ok()) << bytes.status();
    const auto read = tcpip::sim::Read(*bytes);
    ASSERT_TRUE(read && read->tcp);
    const TcpFlags flags = read->tcp->header.flags;
    EXPECT_EQ(flags.ece(), (ace & 1) != 0) << ace;
    EXPECT_EQ(flags.cwr(), (ace & 2) != 0) << ace;
    EXPECT_EQ(read->transport[12] & 1, ace >> 2) << ace;
    EXPECT_TRUE(flags.ack()) << ace;
  }
}

TEST(ToWireTest, AnIcmpErrorQuotesAPacketOfTheHost) {
  PacketSpec packet;
  packet.transport = IcmpSpec{.type = "unreachable",
                              .code = "frag_needed",
                              .mtu = 1400,
                              .id = std::nullopt,
                              .echoed = EchoedTcp{1, 1461, 1460}};
  const auto bytes = ToWire(packet, Flow());
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  const auto read = tcpip::sim::Read(*bytes);
  ASSERT_TRUE(read);
  EXPECT_TRUE(read->checksum_valid);
  const auto message =
      tcpip::wire::ParseIcmp(tcpip::IpFamily::kIpv4, read->transport);
  ASSERT_TRUE(message);
  EXPECT_EQ(message->kind, tcpip::wire::IcmpKind::kPacketTooBig);
  EXPECT_EQ(message->mtu, 1400u);
  const auto quoted = tcpip::sim::Read(message->payload);
  ASSERT_TRUE(quoted && quoted->tcp);
  EXPECT_EQ(quoted->source.ToString(), "192.168.0.1");
  EXPECT_EQ(quoted->tcp->header.seq, 1001u);
  EXPECT_EQ(quoted->tcp->header.source_port, 8080);
}

TEST(FromWireTest, IsTheScriptsOwnNotation) {
  const FlowMap flow = Flow();
  tcpip::sim::TcpPacket sent = {.from = flow.local,
                                .to = flow.remote,
                                .seq = 1001,
                                .ack = 5011,
                                .flags = TcpFlags(TcpFlags::kAck),
                                .window = 99,
                                .options = {},
                                .payload = std::vector<uint8_t>(7)};
  sent.options.timestamps = {.tsval = 740, .tsecr = 9};
  const SeenPacket seen = FromWire(tcpip::sim::Build(sent), flow);
  EXPECT_TRUE(seen.faults.empty()) << seen.faults[0];
  const auto& tcp = std::get<TcpSpec>(seen.packet.transport);
  EXPECT_EQ(tcp.start, 1u);
  EXPECT_EQ(tcp.end, 8u);
  EXPECT_EQ(tcp.length, 7);
  EXPECT_EQ(tcp.ack, 11u);
  EXPECT_EQ(tcp.window, 99);
  EXPECT_EQ(tcp.options, (std::vector<OptionSpec>{
                             option::Nop{}, option::Nop{},
                             option::Timestamps{.val = 140, .ecr = 9}}));
  EXPECT_EQ(seen.flow.local, flow.local);
}

std::vector<uint8_t> Segment(std::vector<uint8_t> payload = {}) {
  const FlowMap flow = Flow();
  return tcpip::sim::Build(
      tcpip::sim::TcpPacket{.from = flow.local,
                            .to = flow.remote,
                            .flags = TcpFlags(TcpFlags::kAck),
                            .options = {},
                            .payload = std::move(payload)});
}

TEST(FromWireTest, AWrongChecksumIsAFault) {
  std::vector<uint8_t> packet = Segment();
  packet[36] ^= 1;
  EXPECT_EQ(FromWire(packet, Flow()).faults,
            std::vector<std::string>{"a wrong checksum"});
}

TEST(FromWireTest, PayloadThatIsNotZerosIsAFault) {
  EXPECT_EQ(FromWire(Segment({0, 1}), Flow()).faults,
            std::vector<std::string>{"payload that is not zeros"});
}

TEST(FromWireTest, ReservedBitsAreAFault) {
  std::vector<uint8_t> packet = Segment();
  packet[32] |= 2;
  packet[36] = packet[37] = 0;
  tcpip::StoreBe16(&packet[36], tcpip::sim::ComputeChecksum(
                                    Flow().local.address, Flow().remote.address,
                                    6, tcpip::ByteSpan(packet).subspan(20)));
  EXPECT_EQ(FromWire(packet, Flow()).faults,
            std::vector<std::string>{"reserved bits that are set"});
}

TEST(FromWireTest, WhatIsNoPacketIsAFault) {
  EXPECT_EQ(FromWire(std::vector<uint8_t>(9), Flow()).faults.size(), 1u);
}

}  // namespace
}  // namespace conformance
