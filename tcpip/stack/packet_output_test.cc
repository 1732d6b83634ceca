#include "tcpip/stack/packet_output.h"

#include <algorithm>

#include <utility>

#include "gtest/gtest.h"
#include "tcpip/stack/stack_fixture.h"
#include "tcpip/wire/tcp_options.h"

namespace tcpip {
namespace {

struct Family {
  FourTuple tuple;
  uint32_t ip_header;
  GsoType gso;
};

const Family kFamilies[] = {
    {{{Ip("10.0.0.2"), 80}, {Ip("10.0.0.1"), 1000}}, 20, GsoType::kTcp4},
    {{{Ip("2001:db8::2"), 80}, {Ip("2001:db8::1"), 1000}}, 40, GsoType::kTcp6},
};

const Interface kPlain(0, {.name = "plain"}, 1);
const Interface kOffload(
    0, {.name = "offload", .link = {.tx = {.checksum = true}}}, 1);

tcp::OutSegment Segment(SlabPool& pool, size_t size) {
  tcp::OutSegment segment;
  segment.seq = tcp::SeqNum(0x01020304);
  segment.ack = tcp::SeqNum(0x05060708);
  segment.flags = tcp::TcpFlags(tcp::TcpFlags::kAck | tcp::TcpFlags::kPsh);
  segment.wnd = tcp::WireWindow(513);
  segment.options.timestamps = wire::TcpTimestamps{17, 18};
  segment.options.sack_blocks[0] = {100, 200};
  segment.options.sack_block_count = 1;
  segment.payload.AppendCopy(pool, Bytes(size, 0x5a));
  return segment;
}

// The one's complement sum of the pseudo header, by the book.
uint16_t PseudoSum(const FourTuple& tuple, uint8_t protocol, size_t length) {
  return wire::PseudoHeaderSum(tuple.local.address, tuple.remote.address,
                               protocol, static_cast<uint32_t>(length))
      .value();
}

// [RFC 9293 3.1 MUST-2] [RFC 9293 3.9.2 MUST-49]
TEST(WrapTcp, WritesHeadersAndAFullChecksum) {
  SlabPool pool;
  for (const Family& f : kFamilies) {
    for (const size_t size : {0u, 1u, 1000u, 1001u}) {
      const Packet packet =
          WrapTcp(pool, kPlain, f.tuple, Segment(pool, size), 61);
      EXPECT_EQ(packet.offload().checksum, ChecksumState::kUnverified);
      EXPECT_EQ(packet.offload().gso_type, GsoType::kNone);
      const Opened opened = Open(Flatten(packet));
      EXPECT_TRUE(opened.transport_checksum_good);
      EXPECT_EQ(opened.ip.source, f.tuple.local.address);
      EXPECT_EQ(opened.ip.destination, f.tuple.remote.address);
      EXPECT_EQ(opened.ip.ttl, 61);
      const wire::TcpHeader header = opened.Tcp();
      EXPECT_EQ(header.source_port, 80);
      EXPECT_EQ(header.destination_port, 1000);
      EXPECT_EQ(header.seq, 0x01020304u);
      EXPECT_EQ(header.ack, 0x05060708u);
      EXPECT_EQ(header.flags.ToString(), "P.");
      EXPECT_EQ(header.window, 513);
      const wire::TcpOptions options = wire::ParseTcpOptions(header.options);
      EXPECT_EQ(options.timestamps->tsval, 17u);
      EXPECT_EQ(options.sack_block_count, 1);
      EXPECT_EQ(opened.TcpPayload(), Bytes(size, 0x5a));
    }
  }
}

// [RFC 3168 5]
TEST(WrapTcp, SaysWhetherRoutersMayMark) {
  SlabPool pool;
  for (const Family& f : kFamilies) {
    for (const bool ect : {false, true}) {
      tcp::OutSegment segment = Segment(pool, 100);
      segment.ect = ect;
      const Packet packet =
          WrapTcp(pool, kPlain, f.tuple, std::move(segment), 64);
      EXPECT_EQ(Open(Flatten(packet)).ip.tos, ect ? 2 : 0);
    }
  }
}

// The field holds the folded pseudo-header sum, not inverted, over the length
// of all segments together; the kernel's CHECKSUM_PARTIAL.
TEST(WrapTcp, LeavesTheChecksumToALinkThatCompletesIt) {
  SlabPool pool;
  for (const Family& f : kFamilies) {
    const Packet packet =
        WrapTcp(pool, kOffload, f.tuple, Segment(pool, 1000), 64);
    EXPECT_EQ(packet.offload().checksum, ChecksumState::kPartial);
    EXPECT_EQ(packet.offload().checksum_start, f.ip_header);
    EXPECT_EQ(packet.offload().checksum_offset, 16);
    const Opened opened = Open(Flatten(packet));
    EXPECT_EQ(opened.Tcp().checksum,
              PseudoSum(f.tuple, 6, opened.transport.size()));
    // What the link does: sum from checksum_start on, inverted, into the field.
    Bytes completed = Flatten(packet);
    const uint16_t sum =
        SumBytes(ByteSpan(completed).subspan(f.ip_header)).Checksum();
    StoreBe16(&completed[f.ip_header + 16], sum);
    EXPECT_TRUE(Open(completed).transport_checksum_good);
  }
}

TEST(WrapTcp, ASuperSegmentIsOnePacketOfFullLength) {
  SlabPool pool;
  for (const Family& f : kFamilies) {
    tcp::OutSegment segment = Segment(pool, 60000);
    segment.gso_size = 1400;
    EXPECT_EQ(segment.mss_count(), 43u);
    const uint8_t* const bytes = segment.payload.view(0).data();
    const Packet packet =
        WrapTcp(pool, kOffload, f.tuple, std::move(segment), 64);
    EXPECT_EQ(packet.offload().gso_type, f.gso);
    EXPECT_EQ(packet.offload().gso_size, 1400);
    EXPECT_EQ(packet.body().view(0).data(), bytes);  // never copied
    const Opened opened = Open(Flatten(packet));
    EXPECT_EQ(opened.TcpPayload().size(), 60000u);
    EXPECT_EQ(opened.Tcp().checksum,
              PseudoSum(f.tuple, 6, opened.transport.size()));
  }
}

TEST(WrapTcp, APayloadOfOneSegmentIsNoSuperSegment) {
  SlabPool pool;
  tcp::OutSegment segment = Segment(pool, 1400);
  segment.gso_size = 1400;
  EXPECT_EQ(segment.mss_count(), 1u);
  const Packet packet =
      WrapTcp(pool, kOffload, kFamilies[0].tuple, std::move(segment), 64);
  EXPECT_EQ(packet.offload().gso_type, GsoType::kNone);
  EXPECT_EQ(packet.offload().gso_size, 0);
}

TEST(WrapUdp, WritesHeadersAndChecksumForAnySize) {
  SlabPool pool;
  for (const Family& f : kFamilies) {
    for (const size_t size : {0u, 1u, 2u, 1471u, 1912u, 1921u, 9001u, 65507u}) {
      Bytes payload(size);
      for (size_t i = 0; i < size; ++i) payload[i] = static_cast<uint8_t>(i);
      const Packet packet = WrapUdp(pool, kPlain, f.tuple, payload, {});
      const Opened opened = Open(Flatten(packet));
      EXPECT_TRUE(opened.transport_checksum_good) << size;
      EXPECT_EQ(opened.ip.protocol, 17);
      EXPECT_EQ(LoadBe16(&opened.transport[0]), 80);
      EXPECT_EQ(LoadBe16(&opened.transport[2]), 1000);
      EXPECT_EQ(LoadBe16(&opened.transport[4]), size + 8);
      ASSERT_EQ(opened.transport.size(), size + 8);
      EXPECT_TRUE(std::equal(payload.begin(), payload.end(),
                             opened.transport.begin() + 8));
    }
  }
}

TEST(WrapUdp, ADatagramOfOrdinarySizeIsOneBlock) {
  SlabPool pool;
  const Packet packet =
      WrapUdp(pool, kPlain, kFamilies[0].tuple, Bytes(1472, 1), {});
  EXPECT_TRUE(packet.body().empty());
  EXPECT_EQ(pool.stats().live, 1u);
}

TEST(WrapUdp, MarksAreThoseOfTheHeader) {
  SlabPool pool;
  for (const Family& f : kFamilies) {
    const Packet packet =
        WrapUdp(pool, kPlain, f.tuple, {}, {.ttl = 3, .tos = 0xb9});
    const Opened opened = Open(Flatten(packet));
    EXPECT_EQ(opened.ip.ttl, 3);
    EXPECT_EQ(opened.ip.tos, 0xb9);
  }
}

// [RFC 768] a sum that comes to zero must not look like "no checksum"; a link
// that completes the sum must see to it itself, but the share we leave it is
// never zero
TEST(WrapUdp, NeverSendsAZeroChecksum) {
  SlabPool pool;
  for (const Family& f : kFamilies) {
    const size_t at = (f.tuple.local.address.IsIpv4() ? 20 : 40) + 6;
    int all_ones = 0;
    for (int word = 0; word < 0x10000; ++word) {
      const Bytes bytes = {static_cast<uint8_t>(word >> 8),
                           static_cast<uint8_t>(word)};
      const Packet plain = WrapUdp(pool, kPlain, f.tuple, bytes, {});
      const uint16_t field = LoadBe16(&plain.head()[at]);
      ASSERT_NE(field, 0);
      all_ones += field == 0xffff;
      const Packet partial = WrapUdp(pool, kOffload, f.tuple, bytes, {});
      ASSERT_NE(LoadBe16(&partial.head()[at]), 0);
    }
    EXPECT_EQ(all_ones, 1);
  }
}

TEST(WrapUdp, LeavesTheChecksumToALinkThatCompletesIt) {
  SlabPool pool;
  const FourTuple& tuple = kFamilies[1].tuple;
  const Packet packet = WrapUdp(pool, kOffload, tuple, Bytes(100, 1), {});
  EXPECT_EQ(packet.offload().checksum, ChecksumState::kPartial);
  EXPECT_EQ(packet.offload().checksum_start, 40);
  EXPECT_EQ(packet.offload().checksum_offset, 6);
  EXPECT_EQ(LoadBe16(&packet.head()[46]), PseudoSum(tuple, 17, 108));
}

}  // namespace
}  // namespace tcpip
