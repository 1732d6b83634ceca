#include "tcpip/link/gro.h"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tcpip/base/bytes.h"
#include "tcpip/base/checksum.h"
#include "tcpip/base/rng.h"
#include "tcpip/base/time.h"
#include "tcpip/buffer/slab.h"
#include "tcpip/link/gso.h"
#include "tcpip/testing/counting_allocator.h"
#include "tcpip/testing/packet_builder.h"
#include "tcpip/testing/packet_reader.h"
#include "tcpip/testing/segmentation.h"
#include "tcpip/wire/address.h"
#include "tcpip/wire/ipv4.h"
#include "tcpip/wire/tcp.h"
#include "tcpip/wire/tcp_options.h"

namespace tcpip {
namespace {

using sim::Bytes;
using wire::TcpFlags;

constexpr uint32_t kV4Tcp = wire::kIpv4HeaderSize;
constexpr uint32_t kV6Tcp = 40;

uint32_t TcpOffset(const Bytes& packet) {
  return packet[0] >> 4 == 4 ? kV4Tcp : kV6Tcp;
}

// Makes both checksums those of the bytes as they are.
void Reseal(Bytes& packet) {
  if (packet[0] >> 4 == 4) {
    StoreBe16(&packet[10], 0);
    StoreBe16(&packet[10], SumBytes(ByteSpan(packet).first(kV4Tcp)).Checksum());
  }
  const ByteSpan all(packet);
  const bool v4 = packet[0] >> 4 == 4;
  const uint32_t tcp = TcpOffset(packet);
  StoreBe16(&packet[tcp + wire::kTcpChecksumOffset], 0);
  PartialSum sum = SumBytes(v4 ? all.subspan(12, 8) : all.subspan(8, 32));
  sum.AddWord(wire::kTcp);
  sum.AddWord(static_cast<uint16_t>(packet.size() - tcp));
  sum.Combine(SumBytes(all.subspan(tcp)), 0);
  StoreBe16(&packet[tcp + wire::kTcpChecksumOffset], sum.Checksum());
}

// A flow's sender: each Next() continues where the one before ended.
struct Flow {
  bool ipv6 = false;
  uint16_t port = 1;
  uint32_t seq = 0xfffffe00;
  int flags = TcpFlags::kAck;

  Bytes Next(size_t payload_bytes) {
    Bytes payload(payload_bytes);
    for (uint8_t& byte : payload) byte = static_cast<uint8_t>(seq++ * 31 >> 3);
    wire::TcpOptions options;
    options.timestamps = wire::TcpTimestamps{1, 2};
    const std::string from = ipv6 ? "[2001:db8::1]:" : "10.0.0.1:";
    return sim::Build(sim::TcpPacket{
        .from = *IpEndpoint::Parse(absl::StrCat(from, port)),
        .to = *IpEndpoint::Parse(ipv6 ? "[2001:db8::2]:2" : "10.0.0.2:2"),
        .seq = static_cast<uint32_t>(seq - payload_bytes),
        .ack = 5,
        .flags = flags,
        .options = options,
        .payload = std::move(payload)});
  }
};

class GroTest : public testing::Test {
 protected:
  PacketBatch Merge(const std::vector<Bytes>& packets) {
    PacketBatch batch;
    for (const Bytes& bytes : packets) {
      batch.push_back(Packet::Copy(pool_, bytes));
    }
    gro_.Merge(batch, 0);
    return batch;
  }
  size_t CountAfterMerge(const std::vector<Bytes>& packets) {
    return Merge(packets).size();
  }
  // Split(Merge(packets)).
  std::vector<Bytes> ThereAndBack(const std::vector<Bytes>& packets) {
    std::vector<Bytes> result;
    for (const Packet& packet : Merge(packets)) {
      PacketBatch pieces;
      if (packet.offload().gso_type != GsoType::kNone) {
        SplitGso(packet, pieces);
        for (const Packet& piece : pieces) {
          result.push_back(sim::Flatten(piece));
        }
      } else {
        result.push_back(sim::Flatten(packet));
      }
    }
    return result;
  }

  SlabPool pool_{0};
  Gro gro_;
};

TEST_F(GroTest, NeighboursBecomeOneSuperSegment) {
  for (const bool ipv6 : {false, true}) {
    Flow flow{.ipv6 = ipv6};
    std::vector<Bytes> packets;
    for (int i = 0; i < 40; ++i) packets.push_back(flow.Next(1448));
    packets.push_back(flow.Next(100));
    const PacketBatch merged = Merge(packets);
    ASSERT_EQ(merged.size(), 1u);
    const Offload& offload = merged[0].offload();
    EXPECT_EQ(offload.gso_type, ipv6 ? GsoType::kTcp6 : GsoType::kTcp4);
    EXPECT_EQ(offload.gso_size, 1448);
    EXPECT_EQ(offload.checksum, ChecksumState::kPartial);
    EXPECT_LE(merged[0].body().view_count(), 2u);
    Bytes want = sim::Merge(packets);
    if (!ipv6) {
      StoreBe16(&want[10], 0);
      StoreBe16(&want[10], SumBytes(ByteSpan(want).first(kV4Tcp)).Checksum());
    }
    EXPECT_EQ(sim::Complete(merged[0]), want);
    EXPECT_EQ(ThereAndBack(packets), packets);
  }
}

// What may and may not follow; each row changes the second of two packets.
// [fault L07]
struct FollowCase {
  const char* name;
  bool merges;
  std::function<void(Bytes&)> change;
  bool reseal = true;
  size_t payload = 1000;
  bool v4_only = false;
};

const FollowCase kFollowCases[] = {
    {"NothingChanged", true, [](Bytes&) {}},
    {"Shorter", true, [](Bytes&) {}, true, 1},
    {"Longer", false, [](Bytes&) {}, true, 1001},
    // [fault C11] what carries no payload is passed on as it is, at once
    {"Empty", false, [](Bytes&) {}, true, 0},
    {"Push", true, [](Bytes& p) { p[TcpOffset(p) + 13] |= TcpFlags::kPsh; }},
    {"Fin", false, [](Bytes& p) { p[TcpOffset(p) + 13] |= TcpFlags::kFin; }},
    {"Syn", false, [](Bytes& p) { p[TcpOffset(p) + 13] |= TcpFlags::kSyn; }},
    {"Rst", false, [](Bytes& p) { p[TcpOffset(p) + 13] |= TcpFlags::kRst; }},
    {"Urg", false, [](Bytes& p) { p[TcpOffset(p) + 13] |= TcpFlags::kUrg; }},
    {"Ece", false, [](Bytes& p) { p[TcpOffset(p) + 13] |= TcpFlags::kEce; }},
    {"Cwr", false, [](Bytes& p) { p[TcpOffset(p) + 13] |= TcpFlags::kCwr; }},
    {"NoAck", false, [](Bytes& p) { p[TcpOffset(p) + 13] = 0; }},
    {"SourcePort", false, [](Bytes& p) { ++p[TcpOffset(p) + 1]; }},
    {"DestinationPort", false, [](Bytes& p) { ++p[TcpOffset(p) + 3]; }},
    {"SequenceGap", false, [](Bytes& p) { ++p[TcpOffset(p) + 7]; }},
    {"SequenceOverlap", false, [](Bytes& p) { --p[TcpOffset(p) + 7]; }},
    {"Acknowledgment", false, [](Bytes& p) { ++p[TcpOffset(p) + 11]; }},
    {"ReservedBits", false, [](Bytes& p) { p[TcpOffset(p) + 12] ^= 1; }},
    {"DataOffset", false, [](Bytes& p) { p[TcpOffset(p) + 12] += 0x10; }},
    {"DataOffsetTooSmall", false,
     [](Bytes& p) { p[TcpOffset(p) + 12] = 0x40; }},
    {"DataOffsetPastTheEnd", false,
     [](Bytes& p) { p[TcpOffset(p) + 12] = 0xf0; }, true, 20},
    {"Window", false, [](Bytes& p) { --p[TcpOffset(p) + 15]; }},
    {"UrgentPointer", false, [](Bytes& p) { ++p[TcpOffset(p) + 19]; }},
    {"Timestamp", false, [](Bytes& p) { ++p[TcpOffset(p) + 27]; }},
    {"BadChecksum", false, [](Bytes& p) { p.back() ^= 1; }, false},
    {"SourceAddress", false, [](Bytes& p) { ++p[p[0] >> 4 == 4 ? 15 : 23]; }},
    {"DestinationAddress", false,
     [](Bytes& p) { ++p[p[0] >> 4 == 4 ? 19 : 39]; }},
    {"Ttl", false, [](Bytes& p) { --p[p[0] >> 4 == 4 ? 8 : 7]; }},
    // [RFC 3168 5.3] congestion experienced is heard where it happened
    {"Ecn", false, [](Bytes& p) { p[1] |= p[0] >> 4 == 4 ? 0x03 : 0x30; }},
    {"FlowLabelOrId", false, [](Bytes& p) { ++p[p[0] >> 4 == 4 ? 5 : 3]; }},
    {"LinkPadding", false, [](Bytes& p) { p.push_back(0); }, false},
    {"CutShort", false, [](Bytes& p) { p.resize(30); }, false},
    {"MayBeFragmented", false, [](Bytes& p) { p[6] = 0; }, true, 1000, true},
    {"Fragment", false, [](Bytes& p) { p[6] |= 0x20; }, true, 1000, true},
    {"BadIpChecksum", false, [](Bytes& p) { ++p[10]; }, false, 1000, true},
};

class GroFollow : public GroTest,
                  public testing::WithParamInterface<FollowCase> {};

TEST_P(GroFollow, MergesOrNotAndACutRestoresBoth) {
  const FollowCase& row = GetParam();
  for (const bool ipv6 : {false, true}) {
    if (ipv6 && row.v4_only) continue;
    Flow flow{.ipv6 = ipv6};
    std::vector<Bytes> packets = {flow.Next(1000), flow.Next(row.payload)};
    row.change(packets[1]);
    if (row.reseal) Reseal(packets[1]);
    EXPECT_EQ(CountAfterMerge(packets), row.merges ? 1u : 2u) << ipv6;
    EXPECT_EQ(ThereAndBack(packets), packets) << ipv6;
    // As the first, too, it is passed on unharmed.
    std::swap(packets[0], packets[1]);
    EXPECT_EQ(ThereAndBack(packets), packets) << ipv6;
  }
}
INSTANTIATE_TEST_SUITE_P(Rules, GroFollow, testing::ValuesIn(kFollowCases),
                         [](const auto& info) { return info.param.name; });

struct GroIdCase {
  const char* name;
  std::vector<uint16_t> ids;
  bool dont_fragment;
  size_t packets_left;
};

class GroIpv4Id : public GroTest,
                  public testing::WithParamInterface<GroIdCase> {};

TEST_P(GroIpv4Id, MergesWhatACutWouldNumberAlike) {
  Flow flow;
  std::vector<Bytes> packets;
  for (const uint16_t id : GetParam().ids) {
    packets.push_back(flow.Next(1000));
    StoreBe16(&packets.back()[4], id);
    packets.back()[6] = GetParam().dont_fragment ? 0x40 : 0;
    Reseal(packets.back());
  }
  EXPECT_EQ(CountAfterMerge(packets), GetParam().packets_left);
  EXPECT_EQ(ThereAndBack(packets), packets);
}

const GroIdCase kGroIdCases[] = {
    {"Counting", {7, 8, 9}, true, 1},
    {"CountingThroughZero", {0xfffe, 0xffff, 0}, true, 1},
    {"CountingWithFragmentsAllowed", {0, 1, 2}, false, 1},
    {"AllZeroAndAtomic", {0, 0, 0}, true, 1},  // [RFC 6864 4.1]
    {"AllZeroNotAtomic", {0, 0, 0}, false, 3},
    {"AtomicZeroThenCounting", {0, 1, 2}, true, 2},
    {"Constant", {5, 5, 5}, true, 3},
    {"Gap", {5, 6, 8}, true, 2},
};
INSTANTIATE_TEST_SUITE_P(Rules, GroIpv4Id, testing::ValuesIn(kGroIdCases),
                         [](const auto& info) { return info.param.name; });

// [RFC 1624 3] zero has two spellings, and a cut writes the usual one
TEST_F(GroTest, AnOddlySpelledChecksumIsNotMerged) {
  for (const bool ip_checksum : {false, true}) {
    Flow flow;
    std::vector<Bytes> packets = {flow.Next(1000), flow.Next(1000)};
    // What brings the sum to zero: of the whole, or of the IP header.
    Bytes& odd = packets[1];
    const uint32_t field = ip_checksum ? 10 : kV4Tcp + wire::kTcpChecksumOffset;
    const uint32_t filler = ip_checksum ? 4 : odd.size() - 2;
    StoreBe16(&odd[filler], 0);
    Reseal(odd);
    const uint16_t checksum = LoadBe16(&odd[field]);
    StoreBe16(&odd[filler], checksum);
    Reseal(odd);
    ASSERT_EQ(LoadBe16(&odd[field]), 0);
    if (ip_checksum) {
      StoreBe16(&packets[0][4], static_cast<uint16_t>(checksum - 1));
      Reseal(packets[0]);
    }
    EXPECT_EQ(CountAfterMerge(packets), 1u);
    StoreBe16(&odd[field], 0xffff);
    EXPECT_EQ(CountAfterMerge(packets), 2u);
    EXPECT_EQ(ThereAndBack(packets), packets);
  }
}

TEST_F(GroTest, PushAndShortSegmentsEndARun) {
  Flow flow;
  std::vector<Bytes> packets = {flow.Next(1000), flow.Next(1000)};
  flow.flags |= TcpFlags::kPsh;
  packets.push_back(flow.Next(1000));
  flow.flags = TcpFlags::kAck;
  packets.push_back(flow.Next(1000));
  packets.push_back(flow.Next(999));
  packets.push_back(flow.Next(999));
  const PacketBatch merged = Merge(packets);
  ASSERT_EQ(merged.size(), 3u);
  EXPECT_EQ(merged[0].size(), 3052u);
  EXPECT_TRUE(TcpFrame(merged[0].head().data()).flags().psh());
  EXPECT_EQ(merged[1].size(), 2051u);
  EXPECT_EQ(merged[2].size(), 1051u);
  EXPECT_EQ(ThereAndBack(packets), packets);
}

TEST_F(GroTest, NoSuperSegmentIsLongerThanAnIpPacket) {
  for (const bool ipv6 : {false, true}) {
    Flow flow{.ipv6 = ipv6};
    std::vector<Bytes> packets;
    for (int i = 0; i < 130; ++i) packets.push_back(flow.Next(1008));
    const PacketBatch merged = Merge(packets);
    ASSERT_EQ(merged.size(), 3u);
    EXPECT_LE(merged[0].size(), 65535u);
    EXPECT_GT(merged[0].size() + 1008, 65535u);
    EXPECT_EQ(ThereAndBack(packets), packets);
  }
}

TEST_F(GroTest, InterleavedFlowsAreMergedEach) {
  std::vector<Flow> flows;
  for (uint16_t port = 1; port <= 8; ++port) {
    flows.push_back({.ipv6 = port % 2 == 0, .port = port});
  }
  std::vector<Bytes> packets;
  for (int round = 0; round < 5; ++round) {
    for (Flow& flow : flows) packets.push_back(flow.Next(1000));
  }
  const PacketBatch merged = Merge(packets);
  ASSERT_EQ(merged.size(), 8u);
  for (const Packet& packet : merged) {
    EXPECT_EQ(packet.offload().gso_size, 1000);
    EXPECT_GT(packet.size(), 5000u);
  }
}

TEST_F(GroTest, WithTooManyFlowsTheOldestRunEnds) {
  std::vector<Bytes> packets;
  std::vector<Flow> flows;
  for (uint16_t port = 1; port <= 9; ++port) {
    flows.push_back({.port = port});
    packets.push_back(flows.back().Next(1000));
  }
  packets.push_back(flows[1].Next(1000));  // still open
  packets.push_back(flows[0].Next(1000));
  EXPECT_EQ(CountAfterMerge(packets), 10u);
}

// What might be of the flow, but cannot be told, is not overtaken.
TEST_F(GroTest, NothingOvertakesAFragment) {
  Flow flow;
  std::vector<Bytes> packets = {flow.Next(1000), flow.Next(1000)};
  Bytes fragment = packets[1];
  fragment[7] = 1;
  Reseal(fragment);
  packets.insert(packets.begin() + 1, fragment);
  EXPECT_EQ(CountAfterMerge(packets), 3u);
  EXPECT_EQ(ThereAndBack(packets), packets);
}

TEST_F(GroTest, OtherProtocolsDoNotEndARun) {
  Flow flow;
  const Bytes udp =
      sim::Build(sim::UdpPacket{.from = *IpEndpoint::Parse("10.0.0.1:1"),
                                .to = *IpEndpoint::Parse("10.0.0.2:2"),
                                .payload = Bytes(100)});
  const PacketBatch merged = Merge({flow.Next(1000), udp, flow.Next(1000)});
  ASSERT_EQ(merged.size(), 2u);
  EXPECT_EQ(merged[0].size(), 2052u);
  EXPECT_EQ(sim::Flatten(merged[1]), udp);
}

TEST_F(GroTest, SinglesWithPayloadAreVerifiedAndBadOnesUntouched) {
  Flow flow;
  Bytes bad = flow.Next(1000);
  bad.back() ^= 1;
  const PacketBatch merged = Merge({flow.Next(0), flow.Next(1000), bad});
  ASSERT_EQ(merged.size(), 3u);
  EXPECT_EQ(merged[0].offload().checksum, ChecksumState::kUnverified);
  EXPECT_EQ(merged[1].offload().checksum, ChecksumState::kVerified);
  EXPECT_EQ(merged[2].offload().checksum, ChecksumState::kUnverified);
}

TEST_F(GroTest, WhatTheLinkVouchesForIsBelieved) {
  for (const ChecksumState state :
       {ChecksumState::kVerified, ChecksumState::kPartial}) {
    Flow flow;
    std::vector<Bytes> packets;
    PacketBatch batch;
    for (int i = 0; i < 3; ++i) {
      packets.push_back(flow.Next(1000));
      Bytes unfinished = packets.back();
      StoreBe16(&unfinished[kV4Tcp + wire::kTcpChecksumOffset], 0x1234);
      batch.push_back(Packet::Copy(pool_, unfinished));
      batch.back().offload() = {.checksum = state,
                                .checksum_start = kV4Tcp,
                                .checksum_offset = wire::kTcpChecksumOffset};
    }
    gro_.Merge(batch, 0);
    ASSERT_EQ(batch.size(), 1u);
    StoreBe16(&packets[0][4], 0);
    EXPECT_EQ(sim::Cut(sim::Complete(batch[0]), 1000).size(), 3u);
    EXPECT_TRUE(sim::Read(sim::Complete(batch[0]))->checksum_valid);
  }
}

// A partial checksum of something that is not this TCP header.
TEST_F(GroTest, NonsenseOffloadFactsAreLeftAlone) {
  struct Field {
    uint16_t start;
    uint16_t offset;
  };
  for (const Field field : {Field{kV4Tcp + 2, wire::kTcpChecksumOffset},
                            Field{kV4Tcp, wire::kTcpChecksumOffset + 2}}) {
    Flow flow;
    PacketBatch batch;
    for (int i = 0; i < 2; ++i) {
      batch.push_back(Packet::Copy(pool_, flow.Next(1000)));
      batch.back().offload() = {.checksum = ChecksumState::kPartial,
                                .checksum_start = field.start,
                                .checksum_offset = field.offset};
    }
    gro_.Merge(batch, 0);
    EXPECT_EQ(batch.size(), 2u);
  }
}

// [fault L06] what the link has merged already passes whole
TEST_F(GroTest, SuperSegmentsOfTheLinkAreLeftAlone) {
  Flow flow;
  PacketBatch batch;
  for (int i = 0; i < 3; ++i) {
    batch.push_back(Packet::Copy(pool_, flow.Next(1000)));
  }
  batch[1].offload().gso_type = GsoType::kTcp4;
  batch[1].offload().gso_size = 500;
  gro_.Merge(batch, 0);
  ASSERT_EQ(batch.size(), 3u);
  EXPECT_EQ(batch[1].offload().gso_size, 500);
}

TEST_F(GroTest, OnlyWhatIsNewInTheBatchIsMerged) {
  Flow flow;
  PacketBatch batch;
  for (int i = 0; i < 4; ++i) {
    batch.push_back(Packet::Copy(pool_, flow.Next(1000)));
    batch.back().set_ingress(Instant::FromNanoseconds(i));
  }
  gro_.Merge(batch, 2);
  ASSERT_EQ(batch.size(), 3u);
  EXPECT_EQ(batch[1].size(), 1052u);
  EXPECT_EQ(batch[2].size(), 2052u);
  EXPECT_EQ(batch[2].ingress(), Instant::FromNanoseconds(2));
}

// Frames too long for one small block: payload in head and body.
TEST_F(GroTest, JumboFramesAreMerged) {
  Flow flow;
  std::vector<Bytes> packets;
  for (int i = 0; i < 5; ++i) packets.push_back(flow.Next(8961));
  EXPECT_EQ(CountAfterMerge(packets), 1u);
  EXPECT_EQ(ThereAndBack(packets), packets);
}

TEST_F(GroTest, FewBytesDoNotPinALargeBlock) {
  Flow flow;
  const PacketBatch merged = Merge({flow.Next(1000), flow.Next(1000)});
  ASSERT_EQ(merged.size(), 1u);
  EXPECT_EQ(merged[0].body().pinned_bytes(), SlabCapacity(SlabClass::kSmall));
}

TEST_F(GroTest, AllocatesNothingOnceWarm) {
  SlabPool pool;
  Gro gro;
  PacketBatch batch;
  std::vector<Bytes> packets;
  std::vector<Flow> flows(3);
  for (uint16_t i = 0; i < 120; ++i) {
    flows[i % 3].port = i % 3;
    packets.push_back(flows[i % 3].Next(1448));
  }
  const auto round = [&] {
    for (const Bytes& bytes : packets) {
      batch.push_back(Packet::Copy(pool, bytes));
    }
    gro.Merge(batch, 0);
    batch.clear();
  };
  round();
  const sim::AllocationCounter counter;
  round();
  EXPECT_EQ(counter.count(), 0u);
}

// Order within a flow: the rest of a packet's bytes say nothing about it.
std::vector<Bytes> OfFlow(const std::vector<Bytes>& packets, const Flow& flow) {
  std::vector<Bytes> result;
  for (const Bytes& bytes : packets) {
    const uint32_t tcp = TcpOffset(bytes);
    if ((tcp == kV6Tcp) == flow.ipv6 && LoadBe16(&bytes[tcp]) == flow.port) {
      result.push_back(bytes);
    }
  }
  return result;
}

// Something that flows do, seldom enough that runs form.
void Disturb(Rng& rng, Flow& flow, Bytes& packet) {
  const uint32_t tcp = TcpOffset(packet);
  const bool v4 = tcp == kV4Tcp;
  switch (rng.Below(40)) {
    case 0:
      packet[tcp + 13] ^= static_cast<uint8_t>(1 << rng.Below(8));
      break;
    case 1:
      packet[1] ^= static_cast<uint8_t>(1 << rng.Below(8));  // type of service
      break;
    case 2:
      --packet[v4 ? 8 : 7];  // TTL
      break;
    case 3:
      packet[tcp + 8 + rng.Below(24)] ^= 1;  // any field, or an option
      break;
    case 4:
      flow.seq += rng.Below(3) * 1000 - 1000;
      break;
    case 5:
      if (v4) packet[6] ^= 0x40;
      break;
    case 6:
      StoreBe16(&packet[4],
                v4 ? static_cast<uint16_t>(rng.Next()) : LoadBe16(&packet[4]));
      break;
    default:
      break;
  }
  Reseal(packet);
  if (rng.Below(60) == 0) packet[rng.Below(packet.size())] ^= 1;
}

// [fault L07] Split(Merge(x)) == x, flow by flow, whatever x is.
TEST_F(GroTest, ACutRestoresWhatWasMerged) {
  size_t merged_away = 0;
  size_t total = 0;
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    SeededRng rng(seed);
    std::vector<Flow> flows;
    std::vector<uint16_t> ids;
    const uint32_t flow_count = 1 + rng.Below(11);
    for (uint16_t port = 1; port <= flow_count; ++port) {
      flows.push_back({.ipv6 = rng.Below(2) == 0,
                       .port = port,
                       .seq = static_cast<uint32_t>(rng.Next())});
      ids.push_back(static_cast<uint16_t>(rng.Below(3) - 1));
    }
    const uint32_t mss = 1 + rng.Below(3000);
    std::vector<Bytes> packets;
    for (int i = 0; i < 128; ++i) {
      const uint32_t n = rng.Below(flow_count);
      Flow& flow = flows[n];
      flow.flags = TcpFlags::kAck | (rng.Below(10) == 0 ? TcpFlags::kPsh : 0);
      packets.push_back(
          flow.Next(rng.Below(8) == 0 ? rng.Below(mss + 1) : mss));
      if (!flow.ipv6 && n % 2 == 0) StoreBe16(&packets.back()[4], ids[n]++);
      Disturb(rng, flow, packets.back());
    }
    const std::vector<Bytes> back = ThereAndBack(packets);
    ASSERT_EQ(back.size(), packets.size());
    // Damage may have moved a packet into another flow: of that one it is now.
    for (const Flow& flow : flows) {
      ASSERT_EQ(OfFlow(back, flow), OfFlow(packets, flow)) << flow.port;
    }
    total += packets.size();
    merged_away += packets.size() - CountAfterMerge(packets);
  }
  EXPECT_GT(merged_away * 2, total);  // else nothing was tested
}

}  // namespace
}  // namespace tcpip
