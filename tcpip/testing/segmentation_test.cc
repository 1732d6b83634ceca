#include "tcpip/testing/segmentation.h"

#include <vector>

#include "gtest/gtest.h"
#include "tcpip/buffer/slab.h"
#include "tcpip/testing/packet_builder.h"

namespace tcpip::sim {
namespace {

using wire::TcpFlags;

Bytes SuperSegment(const char* from, const char* to, size_t payload_bytes) {
  Bytes payload(payload_bytes);
  for (size_t i = 0; i < payload.size(); ++i) {
    payload[i] = static_cast<uint8_t>(i * 7 + i / 256);
  }
  wire::TcpOptions options;
  options.timestamps = wire::TcpTimestamps{1, 2};
  return Build(TcpPacket{.from = *IpEndpoint::Parse(from),
                         .to = *IpEndpoint::Parse(to),
                         .seq = 0xffffff00,
                         .ack = 5,
                         .flags = TcpFlags::kAck | TcpFlags::kPsh |
                                  TcpFlags::kFin | TcpFlags::kCwr,
                         .options = options,
                         .payload = payload});
}

const Bytes kV4 = SuperSegment("10.0.0.1:1", "10.0.0.2:2", 2500);
const Bytes kV6 = SuperSegment("[2001:db8::1]:1", "[2001:db8::2]:2", 2500);

TEST(Cut, MakesSegmentsOfTheGivenSize) {
  for (const Bytes& whole : {kV4, kV6}) {
    const std::vector<Bytes> pieces = Cut(whole, 1000);
    ASSERT_EQ(pieces.size(), 3u);
    uint32_t seq = 0xffffff00;
    for (size_t i = 0; i < 3; ++i) {
      const auto read = Read(pieces[i]);
      ASSERT_TRUE(read && read->tcp);
      EXPECT_TRUE(read->checksum_valid);
      const bool last = i == 2;
      EXPECT_EQ(read->tcp->payload.size(), last ? 500u : 1000u);
      EXPECT_EQ(read->tcp->header.seq, seq);
      EXPECT_EQ(read->tcp->header.flags.fin(), last);
      EXPECT_EQ(read->tcp->header.flags.psh(), last);
      EXPECT_EQ(read->tcp->header.flags.cwr(), i == 0);
      EXPECT_EQ(read->tcp->options.timestamps->tsval, 1u);
      seq += 1000;
    }
  }
}

TEST(Cut, LeavesOtherPacketsAlone) {
  EXPECT_EQ(Cut(kV4, 0), std::vector<Bytes>{kV4});
  EXPECT_EQ(Cut(kV4, 2500), std::vector<Bytes>{kV4});
}

TEST(Merge, UndoesCut) {
  for (const Bytes& whole : {kV4, kV6}) {
    EXPECT_EQ(Merge(Cut(whole, 1000)), whole);
    EXPECT_EQ(Merge(Cut(whole, 1)), whole);
  }
}

TEST(Complete, FinishesAPartialChecksum) {
  SlabPool pool;
  for (const Bytes& whole : {kV4, kV6}) {
    const auto read = Read(whole);
    Bytes partial = whole;
    const size_t field = read->ip_header_size + wire::kTcpChecksumOffset;
    StoreBe16(
        &partial[field],
        wire::PseudoHeaderSum(read->source, read->destination, read->protocol,
                              static_cast<uint32_t>(read->transport.size()))
            .value());
    Packet packet = Packet::Copy(pool, partial);
    EXPECT_EQ(Complete(packet), partial);
    packet.offload() = {
        .checksum = ChecksumState::kPartial,
        .checksum_start = static_cast<uint16_t>(read->ip_header_size),
        .checksum_offset = wire::kTcpChecksumOffset};
    EXPECT_EQ(Complete(packet), whole);
  }
}

}  // namespace
}  // namespace tcpip::sim
