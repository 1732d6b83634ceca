#include "tcpip/network/fragmentation.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tcpip/base/checksum.h"
#include "tcpip/base/rng.h"
#include "tcpip/network/ip.h"
#include "tcpip/network/reassembly.h"
#include "tcpip/testing/packet_builder.h"

namespace tcpip::ip {
namespace {

using sim::Bytes;

Bytes Noise(Rng& rng, size_t size) {
  Bytes bytes(size);
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(rng.Next());
  return bytes;
}

class FragmentationTest : public testing::TestWithParam<bool> {
 protected:
  bool v4() const { return GetParam(); }
  uint32_t header() const { return v4() ? 20 : 40; }

  // A datagram as the stack makes it: headers in the head, payload by
  // reference.
  Packet Make(const Bytes& payload) {
    const Bytes bytes = sim::Build(sim::UdpPacket{
        .from = *IpEndpoint::Parse(v4() ? "10.0.0.1:9" : "[2001:db8::1]:9"),
        .to = *IpEndpoint::Parse(v4() ? "10.0.0.2:7" : "[2001:db8::2]:7"),
        .payload = payload});
    Packet packet = Packet::WithHeadroom(pool_);
    const ByteSpan headers = ByteSpan(bytes).first(header() + 8);
    std::copy(headers.begin(), headers.end(),
              packet.AppendToHead(header() + 8).begin());
    ViewChain body;
    body.AppendCopy(pool_, payload);
    packet.SetBody(std::move(body));
    return packet;
  }
  PacketBatch Cut(Packet packet, uint32_t mtu, uint32_t id = 0xabcd1234) {
    PacketBatch fragments;
    FragmentPacket(pool_, std::move(packet), mtu, id, fragments);
    return fragments;
  }

  SlabPool pool_;
  SeededRng rng_{3};
};
INSTANTIATE_TEST_SUITE_P(Families, FragmentationTest, testing::Bool(),
                         [](const testing::TestParamInfo<bool>& info) {
                           return info.param ? "Ipv4" : "Ipv6";
                         });

// [fault I09] all but the last in eights, none over the MTU, sums right
TEST_P(FragmentationTest, FragmentsAddUp) {
  for (const uint32_t mtu : {1280u, 1281u, 1287u, 1500u, 9000u}) {
    for (const size_t size : {mtu - header() - 7, 4000u, 65507u}) {
      if (size + 8 + header() <= mtu) continue;
      const PacketBatch fragments = Cut(Make(Bytes(size)), mtu);
      size_t at = 0;
      for (size_t i = 0; i < fragments.size(); ++i) {
        const Packet& fragment = fragments[i];
        const bool last = i + 1 == fragments.size();
        EXPECT_LE(fragment.size(), mtu);
        // A good header, its own checksum included.
        const InputVerdict verdict = CheckIp(fragment, Ingress::kLink);
        ASSERT_FALSE(verdict.drop);
        EXPECT_EQ(verdict.ip.size, fragment.size());
        ASSERT_TRUE(verdict.fragment);
        EXPECT_EQ(verdict.fragment->offset, at);
        EXPECT_EQ(verdict.fragment->more, !last);
        EXPECT_EQ(verdict.fragment->id, v4() ? 0x1234u : 0xabcd1234u);
        const size_t data = fragment.size() - verdict.fragment->header_size;
        EXPECT_TRUE(last || data % 8 == 0);
        EXPECT_TRUE(last || fragment.size() + 8 > mtu) << "as few as possible";
        at += data;
      }
      EXPECT_EQ(at, size + 8);
    }
  }
}

TEST_P(FragmentationTest, HeaderFieldsAreThoseOfThePacket) {
  Packet packet = Packet::WithHeadroom(pool_);
  ViewChain body;
  body.AppendCopy(pool_, Bytes(3000));
  packet.SetBody(std::move(body));
  const OutboundIp ip = {
      .source = *IpAddress::Parse(v4() ? "10.0.0.1" : "2001:db8::1"),
      .destination = *IpAddress::Parse(v4() ? "10.0.0.2" : "2001:db8::2"),
      .protocol = 17,
      .tos = 0xb9,
      .ttl = 3};
  PrependIp(packet, ip);
  for (const Packet& fragment : Cut(std::move(packet), 1500)) {
    const InboundIp in = CheckIp(fragment, Ingress::kLink).ip;
    EXPECT_EQ(in.source, ip.source);
    EXPECT_EQ(in.destination, ip.destination);
    EXPECT_EQ(in.tos, ip.tos);
    EXPECT_EQ(in.ttl, ip.ttl);
    // [RFC 6864 4.1] DF is for packets that are whole
    EXPECT_TRUE(!v4() || (fragment.head()[6] & 0x40) == 0);
  }
}

TEST_P(FragmentationTest, DataIsShared) {
  Packet packet = Make(Bytes(60000));
  const size_t live = pool_.stats().live;
  const PacketBatch fragments = Cut(std::move(packet), 1500);
  // A block of headers each; the packet's own is gone.
  EXPECT_EQ(pool_.stats().live, live - 1 + fragments.size());
}

// [RFC 8200 5], [RFC 791 3.2] less cannot be asked for
TEST_P(FragmentationTest, AnMtuBelowThePromisedOneIsThePromisedOne) {
  for (const uint32_t mtu : {0u, 1u, 8u, 28u}) {
    const PacketBatch fragments = Cut(Make(Bytes(3000)), mtu);
    EXPECT_EQ(fragments.size(), v4() ? 63u : 3u);
    for (const Packet& fragment : fragments) {
      EXPECT_LE(fragment.size(), v4() ? 68u : 1280u);
    }
  }
}

// What the link would complete is complete before it is cut.
TEST_P(FragmentationTest, APartialChecksumIsCompleted) {
  for (const uint16_t last_word : {0x1111, 0x0000}) {
    Bytes payload = Noise(rng_, 3000);
    StoreBe16(&payload[2998], last_word);
    const Packet good = Make(payload);
    Packet packet = Make(payload);
    const uint32_t field = header() + 6;
    // The pseudo header's share, not inverted: all of the sum but the packet's.
    StoreBe16(&packet.mutable_head()[field], 0);
    Packet transport = Make(payload);
    StoreBe16(&transport.mutable_head()[field], 0);
    transport.TrimFront(header());
    const auto total =
        static_cast<uint16_t>(~LoadBe16(good.head().data() + field));
    PartialSum pseudo(total);
    pseudo.AddWord(SumOf(transport).Checksum());
    StoreBe16(&packet.mutable_head()[field], pseudo.value());
    packet.offload() = {.checksum = ChecksumState::kPartial,
                        .checksum_start = static_cast<uint16_t>(header()),
                        .checksum_offset = 6};
    const PacketBatch fragments = Cut(std::move(packet), 1500);
    const uint32_t at = header() + (v4() ? 0 : 8) + 6;
    EXPECT_EQ(LoadBe16(fragments[0].head().data() + at),
              LoadBe16(good.head().data() + field));
    for (const Packet& fragment : fragments) {
      EXPECT_EQ(fragment.offload().checksum, ChecksumState::kUnverified);
    }
  }
}

// Any packet, any MTU, any order, copies among them.
TEST_P(FragmentationTest, ReassemblyGivesBackWhatWasCut) {
  Reassembly reassembly({}, pool_, rng_);
  for (uint32_t round = 0; round < 300; ++round) {
    const size_t largest = v4() ? 65507 : 65527;
    const size_t size = 1500 + rng_.Below(static_cast<uint32_t>(
                                   round % 10 == 0 ? largest - 1499 : 8000));
    const uint32_t mtu = (v4() && size < 8000 ? 68 : 1280) + rng_.Below(1000);
    Packet packet = Make(Noise(rng_, size));
    const Bytes want = sim::Flatten(packet);
    if (want.size() <= mtu) continue;
    PacketBatch fragments = Cut(std::move(packet), mtu, round);
    for (size_t i = fragments.size(); i > 1; --i) {
      std::swap(fragments[i - 1], fragments[rng_.Below(i)]);
    }
    Bytes got;
    for (size_t i = 0; i < fragments.size(); ++i) {
      const bool last = i + 1 == fragments.size();
      const Bytes copy = sim::Flatten(fragments[i]);
      const InputVerdict verdict = CheckIp(fragments[i], Ingress::kLink);
      auto outcome = reassembly.OnFragment(std::move(fragments[i]), verdict.ip,
                                           *verdict.fragment, Instant());
      ASSERT_EQ(outcome.drop, std::nullopt);
      ASSERT_EQ(outcome.whole.has_value(), last);
      if (last) {
        got = sim::Flatten(*outcome.whole);
      } else if (rng_.Below(4) == 0) {
        outcome = reassembly.OnFragment(Packet::Copy(pool_, copy), verdict.ip,
                                        *verdict.fragment, Instant());
        ASSERT_EQ(outcome.drop, DropReason::kIpFragmentDuplicate);
      }
    }
    ASSERT_EQ(got.size(), want.size());
    const auto [difference, unused] =
        std::mismatch(want.begin(), want.end(), got.begin());
    // With IPv4 flags and header checksum differ: DF is gone.
    const size_t compared_from = v4() ? 12 : 0;
    ASSERT_TRUE(std::equal(want.begin() + compared_from, want.end(),
                           got.begin() + compared_from))
        << "round " << round << ", at " << difference - want.begin();
    reassembly.CheckInvariants();
    ASSERT_EQ(reassembly.datagrams(), 0u);
  }
  EXPECT_EQ(pool_.stats().live, 0u);
}

}  // namespace
}  // namespace tcpip::ip
