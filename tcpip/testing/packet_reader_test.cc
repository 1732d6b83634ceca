#include "tcpip/testing/packet_reader.h"

#include <utility>

#include "gtest/gtest.h"
#include "tcpip/buffer/slab.h"
#include "tcpip/testing/packet_builder.h"
#include "tcpip/wire/ipv4.h"

namespace tcpip::sim {
namespace {

const IpEndpoint kClient4 = *IpEndpoint::Parse("10.0.0.1:4000");
const IpEndpoint kServer4 = *IpEndpoint::Parse("10.0.0.2:80");
const IpEndpoint kClient6 = *IpEndpoint::Parse("[2001:db8::1]:4000");
const IpEndpoint kServer6 = *IpEndpoint::Parse("[2001:db8::2]:80");

// [RFC 1071 3] the example of the RFC, complemented
TEST(ComputeChecksum, SumsWordsAsTheRfcDoes) {
  const Bytes bytes = {0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7};
  EXPECT_EQ(ComputeChecksum(kClient4.address, kServer4.address, 1, bytes),
            0x220d);
}

TEST(Read, GivesBackWhatWasBuilt) {
  for (const auto& [from, to] :
       {std::pair{kClient4, kServer4}, {kClient6, kServer6}}) {
    wire::TcpOptions options;
    options.timestamps = wire::TcpTimestamps{1, 2};
    const Bytes packet =
        Build(TcpPacket{.from = from,
                        .to = to,
                        .seq = 0xfffffffe,
                        .ack = 7,
                        .flags = wire::TcpFlags::kFin | wire::TcpFlags::kAck,
                        .window = 1000,
                        .options = options,
                        .payload = {1, 2, 3}});
    const auto read = Read(packet);
    ASSERT_TRUE(read && read->tcp);
    EXPECT_TRUE(read->checksum_valid);
    EXPECT_EQ(read->flow(), (FourTuple{from, to}));
    EXPECT_EQ(read->tcp->header.seq, 0xfffffffe);
    EXPECT_EQ(read->tcp->header.window, 1000);
    EXPECT_EQ(read->tcp->options.timestamps->tsecr, 2u);
    EXPECT_EQ(Bytes(read->tcp->payload.begin(), read->tcp->payload.end()),
              (Bytes{1, 2, 3}));
    EXPECT_EQ(read->tcp->len(), 4u);
    EXPECT_EQ(read->ToString(), from.ToString() + " > " + to.ToString() +
                                    ": F. seq 4294967294 ack 7 win 1000 len 3");
  }
}

TEST(Read, SeesEveryFlippedBitOfATransport) {
  for (const auto& [from, to] :
       {std::pair{kClient4, kServer4}, {kClient6, kServer6}}) {
    for (const Bytes& packet :
         {Build(TcpPacket{.from = from, .to = to, .payload = {1, 2, 3}}),
          Build(UdpPacket{.from = from, .to = to, .payload = {1, 2, 3}}),
          Build(IcmpPacket{.from = from.address, .to = to.address})}) {
      ASSERT_TRUE(Read(packet)->checksum_valid);
      for (size_t bit = Read(packet)->ip_header_size * 8;
           bit < packet.size() * 8; ++bit) {
        Bytes wrong = packet;
        wrong[bit / 8] ^= static_cast<uint8_t>(1u << bit % 8);
        const auto read = Read(wrong);
        EXPECT_TRUE(!read || !read->checksum_valid) << "bit " << bit;
      }
    }
  }
}

TEST(Read, RefusesWhatIsNotOneWholePacket) {
  const Bytes packet = Build(TcpPacket{.from = kClient4, .to = kServer4});
  for (size_t size = 0; size < packet.size(); ++size) {
    EXPECT_FALSE(Read(ByteSpan(packet).first(size))) << size;
  }
  Bytes longer = packet;
  longer.push_back(0);
  EXPECT_FALSE(Read(longer));
}

TEST(Flatten, JoinsHeadAndBody) {
  SlabPool pool;
  Bytes bytes(5000);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<uint8_t>(i);
  EXPECT_EQ(Flatten(Packet::Copy(pool, bytes)), bytes);
  Packet packet = Packet::Copy(pool, bytes);
  EXPECT_EQ(Flatten(packet.TakePayload()), bytes);
}

TEST(ReadFragment, GivesBackWhatWasCut) {
  for (const auto& [from, to] :
       {std::pair{kClient4, kServer4}, {kClient6, kServer6}}) {
    const Bytes packet =
        Build(UdpPacket{.from = from, .to = to, .payload = Bytes(100, 7)});
    EXPECT_FALSE(ReadFragment(packet));
    Bytes data;
    for (const Bytes& part : Cut(packet, 48, 9)) {
      EXPECT_FALSE(Read(part)) << "a fragment is no packet";
      const auto fragment = ReadFragment(part);
      ASSERT_TRUE(fragment);
      EXPECT_EQ(fragment->protocol, wire::kUdp);
      EXPECT_EQ(fragment->id, 9u);
      EXPECT_EQ(fragment->offset, data.size());
      data.insert(data.end(), fragment->data.begin(), fragment->data.end());
      EXPECT_EQ(fragment->more, data.size() < 108);
    }
    const ByteSpan transport = Read(packet)->transport;
    EXPECT_EQ(data, Bytes(transport.begin(), transport.end()));
  }
}

}  // namespace
}  // namespace tcpip::sim
