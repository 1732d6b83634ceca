#include "tcpip/link/gso.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tcpip/base/bytes.h"
#include "tcpip/base/checksum.h"
#include "tcpip/base/rng.h"
#include "tcpip/base/time.h"
#include "tcpip/buffer/slab.h"
#include "tcpip/buffer/view.h"
#include "tcpip/buffer/view_chain.h"
#include "tcpip/testing/counting_allocator.h"
#include "tcpip/testing/packet_builder.h"
#include "tcpip/testing/packet_reader.h"
#include "tcpip/testing/segmentation.h"
#include "tcpip/wire/address.h"
#include "tcpip/wire/ipv4.h"
#include "tcpip/wire/tcp.h"
#include "tcpip/wire/tcp_options.h"
#include "tcpip/wire/udp.h"

namespace tcpip {
namespace {

using sim::Bytes;
using wire::TcpFlags;

constexpr Instant kNow = Instant::FromNanoseconds(7);

struct Shape {
  bool ipv6 = false;
  uint32_t payload_bytes = 0;
  bool timestamps = true;
  int flags = TcpFlags::kAck;
};

Bytes WholePacket(const Shape& shape) {
  Bytes payload(shape.payload_bytes);
  SeededRng rng(shape.payload_bytes);
  for (uint8_t& byte : payload) byte = static_cast<uint8_t>(rng.Next());
  wire::TcpOptions options;
  if (shape.timestamps) options.timestamps = wire::TcpTimestamps{1, 2};
  const char* const from = shape.ipv6 ? "[2001:db8::1]:1" : "10.0.0.1:1";
  const char* const to = shape.ipv6 ? "[2001:db8::2]:2" : "10.0.0.2:2";
  return sim::Build(sim::TcpPacket{.from = *IpEndpoint::Parse(from),
                                   .to = *IpEndpoint::Parse(to),
                                   .seq = 0xffffff00,
                                   .ack = 5,
                                   .flags = shape.flags,
                                   .options = options,
                                   .payload = std::move(payload)});
}

void SetIpv4Id(Bytes& packet, uint16_t id, bool dont_fragment) {
  StoreBe16(&packet[4], id);
  packet[6] = dont_fragment ? 0x40 : 0;
  StoreBe16(&packet[10], 0);
  StoreBe16(&packet[10],
            SumBytes(ByteSpan(packet).first(wire::kIpv4HeaderSize)).Checksum());
}

uint32_t HeaderSize(const Bytes& packet) {
  return static_cast<uint32_t>(packet.size() -
                               sim::Read(packet)->tcp->payload.size());
}

// The packet as a stack hands it over: headers in the head, payload in views
// of `view_bytes`, the checksum owed.
Packet Super(SlabPool& pool, const Bytes& whole, uint16_t gso_size,
             size_t view_bytes = 60'000) {
  const auto read = sim::Read(whole);
  Bytes front(whole.begin(), whole.begin() + HeaderSize(whole));
  StoreBe16(&front[read->ip_header_size + wire::kTcpChecksumOffset],
            wire::PseudoHeaderSum(read->source, read->destination, wire::kTcp,
                                  static_cast<uint32_t>(read->transport.size()))
                .value());
  Packet packet = Packet::Copy(pool, front);
  ViewChain body;
  for (ByteSpan rest = read->tcp->payload; !rest.empty();) {
    const size_t n = std::min(view_bytes, rest.size());
    body.Append(View::Copy(pool, rest.first(n)));
    rest = rest.subspan(n);
  }
  packet.SetBody(std::move(body));
  packet.offload() = {
      .gso_type = read->source.IsIpv4() ? GsoType::kTcp4 : GsoType::kTcp6,
      .gso_size = gso_size,
      .checksum = ChecksumState::kPartial,
      .checksum_start = static_cast<uint16_t>(read->ip_header_size),
      .checksum_offset = wire::kTcpChecksumOffset};
  packet.set_ingress(kNow);
  return packet;
}

std::vector<Bytes> Split(const Packet& packet) {
  PacketBatch pieces;
  SplitGso(packet, pieces);
  std::vector<Bytes> result;
  for (const Packet& piece : pieces) {
    EXPECT_EQ(piece.offload().gso_type, GsoType::kNone);
    EXPECT_EQ(piece.offload().checksum, ChecksumState::kUnverified);
    EXPECT_EQ(piece.ingress(), kNow);
    result.push_back(sim::Flatten(piece));
  }
  return result;
}

// Every field of every piece, against the test kit's own cutter. [fault L07]
TEST(SplitGso, CutsAsTheWireWants) {
  SlabPool pool(0);
  constexpr int kAll =
      TcpFlags::kAck | TcpFlags::kPsh | TcpFlags::kFin | TcpFlags::kCwr;
  for (const bool ipv6 : {false, true}) {
    for (const bool timestamps : {false, true}) {
      for (const uint32_t payload : {1u, 999u, 1000u, 1001u, 5000u, 65'000u}) {
        for (const uint16_t gso_size : {1000, 1448, 8999}) {
          for (const size_t view_bytes : {60'000, 1500, 701, 333}) {
            Bytes whole = WholePacket({ipv6, payload, timestamps, kAll});
            if (!ipv6) SetIpv4Id(whole, 0xfffe, true);
            EXPECT_EQ(Split(Super(pool, whole, gso_size, view_bytes)),
                      sim::Cut(whole, gso_size))
                << ipv6 << ' ' << payload << ' ' << gso_size << ' '
                << view_bytes;
          }
        }
      }
    }
  }
}

TEST(SplitGso, EndsOfWritesStayOnTheLastAndReducedWindowOnTheFirst) {
  SlabPool pool(0);
  const Bytes whole =
      WholePacket({.payload_bytes = 2500,
                   .flags = TcpFlags::kAck | TcpFlags::kPsh | TcpFlags::kFin |
                            TcpFlags::kEce | TcpFlags::kCwr | TcpFlags::kUrg});
  const std::vector<Bytes> pieces = Split(Super(pool, whole, 1000));
  ASSERT_EQ(pieces.size(), 3u);
  for (size_t i = 0; i < 3; ++i) {
    const TcpFlags flags = sim::Read(pieces[i])->tcp->header.flags;
    EXPECT_EQ(flags.psh(), i == 2);
    EXPECT_EQ(flags.fin(), i == 2);
    EXPECT_EQ(flags.cwr(), i == 0);  // [RFC 3168 6.1.2]
    EXPECT_TRUE(flags.ack() && flags.ece() && flags.urg());
  }
}

struct IdCase {
  const char* name;
  uint16_t id;
  bool dont_fragment;
  std::vector<uint16_t> want;
};

class Ipv4Id : public testing::TestWithParam<IdCase> {};

TEST_P(Ipv4Id, EachPieceHasTheIdItsRuleSays) {
  SlabPool pool(0);
  Bytes whole = WholePacket({.payload_bytes = 2500});
  SetIpv4Id(whole, GetParam().id, GetParam().dont_fragment);
  std::vector<uint16_t> ids;
  for (const Bytes& piece : Split(Super(pool, whole, 1000))) {
    EXPECT_TRUE(sim::Read(piece)->checksum_valid);
    ids.push_back(LoadBe16(&piece[4]));
  }
  EXPECT_EQ(ids, GetParam().want);
}

const IdCase kIdCases[] = {
    // [RFC 6864 4.1] [fault X09] atomic: our own packets say 0, every one
    {"AtomicZeroStaysZero", 0, true, {0, 0, 0}},
    {"AtomicThatCountsCountsOn", 17, true, {17, 18, 19}},
    // [RFC 6864 4.3] what may be fragmented needs an ID of its own
    {"ZeroThatMayBeFragmentedCountsOn", 0, false, {0, 1, 2}},
    {"WrapsAround", 0xffff, true, {0xffff, 0, 1}},
};
INSTANTIATE_TEST_SUITE_P(Rules, Ipv4Id, testing::ValuesIn(kIdCases),
                         [](const auto& info) { return info.param.name; });

TEST(SplitGso, PayloadIsReferredToNotCopied) {
  SlabPool pool(0);
  const Packet packet =
      Super(pool, WholePacket({.payload_bytes = 30'000}), 1000);
  PacketBatch pieces;
  SplitGso(packet, pieces);
  ASSERT_EQ(pieces.size(), 30u);
  for (size_t i = 0; i < pieces.size(); ++i) {
    EXPECT_EQ(pieces[i].body().view(0).data(),
              packet.body().view(0).data() + 1000 * i);
  }
}

// A stack that leaves its checksum complete, and payload beside the headers.
TEST(SplitGso, WantsNeitherAnOwedChecksumNorPayloadApart) {
  SlabPool pool(0);
  for (const bool ipv6 : {false, true}) {
    Bytes whole = WholePacket({.ipv6 = ipv6, .payload_bytes = 5000});
    if (!ipv6) SetIpv4Id(whole, 1, true);
    Packet packet = Packet::Copy(pool, whole);
    packet.offload().gso_type = ipv6 ? GsoType::kTcp6 : GsoType::kTcp4;
    packet.offload().gso_size = 700;
    packet.set_ingress(kNow);
    EXPECT_EQ(Split(packet), sim::Cut(whole, 700));
  }
}

TEST(SplitGso, AllocatesNothingOnceWarm) {
  SlabPool pool;
  PacketBatch pieces;
  for (const size_t view_bytes : {60'000, 100}) {
    const Packet packet =
        Super(pool, WholePacket({.payload_bytes = 60'000}), 1448, view_bytes);
    SplitGso(packet, pieces);
    pieces.clear();
    const sim::AllocationCounter counter;
    SplitGso(packet, pieces);
    pieces.clear();
    EXPECT_EQ(counter.count(), 0u);
  }
}

TEST(CompleteChecksum, FinishesWhatIsOwed) {
  SlabPool pool(0);
  for (const bool ipv6 : {false, true}) {
    for (const size_t view_bytes : {60'000, 333}) {
      const Bytes whole = WholePacket({.ipv6 = ipv6, .payload_bytes = 5000});
      Packet packet = Super(pool, whole, 0, view_bytes);
      packet.offload().gso_type = GsoType::kNone;
      CompleteChecksum(packet);
      EXPECT_EQ(sim::Flatten(packet), whole);
      EXPECT_EQ(packet.offload().checksum, ChecksumState::kUnverified);
    }
  }
}

TEST(CompleteChecksum, LeavesWhatIsCompleteAlone) {
  SlabPool pool(0);
  Bytes whole = WholePacket({.payload_bytes = 500});
  whole.back() ^= 1;  // wrong, but not ours to repair
  Packet packet = Packet::Copy(pool, whole);
  CompleteChecksum(packet);
  EXPECT_EQ(sim::Flatten(packet), whole);
}

// [RFC 768] a computed zero is sent as all ones: zero means no checksum
TEST(CompleteChecksum, NeverClaimsThatThereIsNone) {
  SlabPool pool(0);
  Bytes bytes =
      sim::Build(sim::UdpPacket{.from = *IpEndpoint::Parse("10.0.0.1:1"),
                                .to = *IpEndpoint::Parse("10.0.0.2:2"),
                                .payload = {0, 0}});
  const uint32_t udp = 20;
  // The payload that brings the sum to 0xffff.
  const uint16_t checksum = LoadBe16(&bytes[udp + wire::kUdpChecksumOffset]);
  StoreBe16(&bytes[udp + wire::kUdpHeaderSize], checksum);
  StoreBe16(&bytes[udp + wire::kUdpChecksumOffset],
            wire::PseudoHeaderSum(*IpAddress::Parse("10.0.0.1"),
                                  *IpAddress::Parse("10.0.0.2"), wire::kUdp, 10)
                .value());
  Packet packet = Packet::Copy(pool, bytes);
  packet.offload() = {.checksum = ChecksumState::kPartial,
                      .checksum_start = udp,
                      .checksum_offset = wire::kUdpChecksumOffset};
  CompleteChecksum(packet);
  EXPECT_EQ(LoadBe16(&packet.head()[udp + wire::kUdpChecksumOffset]), 0xffff);
}

}  // namespace
}  // namespace tcpip
