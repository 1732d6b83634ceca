#include "tcpip/link/channel.h"

#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "tcpip/link/software_offload.h"
#include "tcpip/testing/packet_builder.h"
#include "tcpip/testing/packet_reader.h"
#include "tcpip/wire/address.h"
#include "tcpip/wire/tcp.h"

namespace tcpip {
namespace {

constexpr Instant kNow = Instant::FromNanoseconds(99);

Packet PacketOf(SlabPool& pool, size_t size) {
  return Packet::Copy(pool, std::vector<uint8_t>(size, 0x45));
}

TEST(Channel, CarriesPacketsBothWaysInOrder) {
  SlabPool pool(0);
  Channel channel({.mtu = 1420}, 8);
  EXPECT_EQ(channel.capabilities().mtu, 1420u);
  EXPECT_EQ(channel.poll_fd(), -1);

  PacketBatch injected;
  for (const size_t size : {20, 21, 22}) {
    injected.push_back(PacketOf(pool, size));
  }
  EXPECT_EQ(channel.Inject(injected), 3u);
  PacketBatch read;
  EXPECT_EQ(channel.ReadBatch(pool, read, 2, kNow), 2u);
  EXPECT_EQ(channel.ReadBatch(pool, read, 2, kNow), 1u);
  EXPECT_EQ(channel.ReadBatch(pool, read, 2, kNow), 0u);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(read[i].size(), 20 + i);
    EXPECT_EQ(read[i].ingress(), kNow);
  }

  EXPECT_EQ(channel.WriteBatch(read), 3u);
  PacketBatch taken;
  EXPECT_EQ(channel.Take(taken, 2), 2u);
  EXPECT_EQ(channel.Take(taken, 2), 1u);
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(taken[i].size(), 20 + i);

  const LinkCounters counters = channel.counters();
  EXPECT_EQ(counters.packets_in, 3u);
  EXPECT_EQ(counters.bytes_in, 63u);
  EXPECT_EQ(counters.packets_out, 3u);
  EXPECT_EQ(counters.bytes_out, 63u);
}

// [fault L06] a tunnel that cuts gets super-segments whole, facts and all
TEST(Channel, FactsAndViewsPassUncopied) {
  SlabPool pool(0);
  Channel channel({.tx = {.checksum = true, .tso4 = true}}, 8);
  PacketBatch sent;
  sent.push_back(PacketOf(pool, 60'000));
  sent[0].offload() = {.gso_type = GsoType::kTcp4,
                       .gso_size = 1380,
                       .checksum = ChecksumState::kPartial};
  const uint8_t* const body = sent[0].body().view(0).data();
  channel.WriteBatch(sent);
  PacketBatch taken;
  channel.Take(taken, 1);
  EXPECT_EQ(taken[0].offload().gso_size, 1380);
  EXPECT_EQ(taken[0].offload().checksum, ChecksumState::kPartial);
  EXPECT_EQ(taken[0].body().view(0).data(), body);
}

// [fault P09] both sides are pushed back, neither loses
TEST(Channel, AFullDirectionTakesNoMore) {
  SlabPool pool(0);
  Channel channel({}, 2);
  PacketBatch packets;
  for (const size_t size : {20, 21, 22})
    packets.push_back(PacketOf(pool, size));
  EXPECT_EQ(channel.Inject(packets), 2u);
  EXPECT_EQ(packets[2].size(), 22u);
  PacketBatch read;
  channel.ReadBatch(pool, read, 9, kNow);
  EXPECT_EQ(channel.Inject(std::span(packets).subspan(2)), 1u);

  read.push_back(PacketOf(pool, 30));
  EXPECT_EQ(channel.WriteBatch(read), 2u);
  EXPECT_EQ(read[2].size(), 30u);
  EXPECT_EQ(channel.counters().packets_out, 0u);  // nobody has taken them
}

// The example of the header: a tunnel that can neither cut nor merge.
TEST(Channel, WorksUnderSoftwareOffload) {
  SlabPool pool(0);
  Channel tunnel({.mtu = 1420}, 64);
  SoftwareOffload link(tunnel);
  PacketBatch decrypted;
  for (uint32_t i = 0; i < 10; ++i) {
    decrypted.push_back(Packet::Copy(
        pool,
        sim::Build(sim::TcpPacket{.from = *IpEndpoint::Parse("10.0.0.1:1"),
                                  .to = *IpEndpoint::Parse("10.0.0.2:2"),
                                  .seq = i * 1000,
                                  .flags = wire::TcpFlags::kAck,
                                  .payload = sim::Bytes(1000)})));
  }
  EXPECT_EQ(tunnel.Inject(decrypted), 10u);
  PacketBatch batch;
  EXPECT_EQ(link.ReadBatch(pool, batch, 64, kNow), 10u);
  ASSERT_EQ(batch.size(), 1u);
  EXPECT_EQ(link.WriteBatch(batch), 1u);
  PacketBatch to_encrypt;
  EXPECT_EQ(tunnel.Take(to_encrypt, 64), 10u);
  for (const Packet& packet : to_encrypt) EXPECT_EQ(packet.size(), 1040u);
}

}  // namespace
}  // namespace tcpip
