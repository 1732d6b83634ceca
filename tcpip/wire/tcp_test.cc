#include "tcpip/wire/tcp.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "tcpip/base/rng.h"

namespace tcpip::wire {
namespace {

using Bytes = std::vector<uint8_t>;

const Bytes kGolden = {0x9c, 0x40, 0x00, 0x50, 0x01, 0x02, 0x03, 0x04,
                       0x05, 0x06, 0x07, 0x08, 0x60, 0x92, 0x72, 0x10,
                       0xab, 0xcd, 0x11, 0x22, 0x02, 0x04, 0x05, 0xb4};

TEST(Tcp, GoldenHeaderParsesAndIsEmittedByteForByte) {
  const std::optional<TcpHeader> h = ParseTcp(kGolden);
  ASSERT_TRUE(h.has_value());
  EXPECT_EQ(h->source_port, 40000);
  EXPECT_EQ(h->destination_port, 80);
  EXPECT_EQ(h->seq, 0x01020304u);
  EXPECT_EQ(h->ack, 0x05060708u);
  EXPECT_EQ(h->flags,
            TcpFlags(TcpFlags::kSyn | TcpFlags::kAck | TcpFlags::kCwr));
  EXPECT_EQ(h->window, 29200);
  EXPECT_EQ(h->checksum, 0xabcd);
  EXPECT_EQ(h->urgent_pointer, 0x1122);
  EXPECT_EQ(h->options.data(), kGolden.data() + 20);
  EXPECT_EQ(h->size(), 24u);

  Bytes bytes(24, 0xee);
  EmitTcp(*h, bytes);
  EXPECT_EQ(bytes, kGolden);
}

// [RFC 9293 3.1] reserved bits are ignored by a receiver, zero from a sender.
TEST(Tcp, ReservedBitsAreIgnored) {
  Bytes bytes = kGolden;
  bytes[12] |= 0x0f;
  const std::optional<TcpHeader> h = ParseTcp(bytes);
  ASSERT_TRUE(h.has_value());
  EXPECT_EQ(h->size(), 24u);
  EmitTcp(*h, bytes);
  EXPECT_EQ(bytes[12], 0x60);
}

// [fault I15] [fault X22] data offset 0..15 in segments of 0..80 bytes.
TEST(Tcp, DataOffsetMatrixAcceptsOnlyWhatFits) {
  for (size_t size = 0; size <= 80; ++size) {
    for (size_t data_offset = 0; data_offset <= 15; ++data_offset) {
      Bytes bytes(80);
      bytes[12] = static_cast<uint8_t>(data_offset << 4);
      bytes.resize(size);
      bytes.shrink_to_fit();  // the address sanitizer sees every overrun
      const std::optional<TcpHeader> h = ParseTcp(bytes);
      const bool fits = data_offset >= 5 && 4 * data_offset <= size;
      ASSERT_EQ(h.has_value(), fits)
          << "size " << size << " data offset " << data_offset;
      if (!fits) continue;
      ASSERT_EQ(h->size(), 4 * data_offset);
      ASSERT_EQ(h->options.data(), bytes.data() + 20);
    }
  }
}

TEST(Tcp, ParseUndoesEmit) {
  constexpr uint64_t kSeed = 6;
  SeededRng rng(kSeed);
  for (int i = 0; i < 10'000; ++i) {
    uint8_t options[40];
    for (uint8_t& b : options) b = static_cast<uint8_t>(rng.Next());
    TcpHeader h;
    h.source_port = static_cast<uint16_t>(rng.Next());
    h.destination_port = static_cast<uint16_t>(rng.Next());
    h.seq = static_cast<uint32_t>(rng.Next());
    h.ack = static_cast<uint32_t>(rng.Next());
    h.flags = TcpFlags(static_cast<uint8_t>(rng.Next()));
    h.window = static_cast<uint16_t>(rng.Next());
    h.checksum = static_cast<uint16_t>(rng.Next());
    h.urgent_pointer = static_cast<uint16_t>(rng.Next());
    h.options = ByteSpan(options, rng.Below(11) * 4);
    Bytes bytes(h.size(), 0xee);
    EmitTcp(h, bytes);
    const std::optional<TcpHeader> p = ParseTcp(bytes);
    ASSERT_TRUE(p.has_value()) << "seed " << kSeed << " round " << i;
    ASSERT_EQ(p->source_port, h.source_port);
    ASSERT_EQ(p->destination_port, h.destination_port);
    ASSERT_EQ(p->seq, h.seq);
    ASSERT_EQ(p->ack, h.ack);
    ASSERT_EQ(p->flags, h.flags);
    ASSERT_EQ(p->window, h.window);
    ASSERT_EQ(p->checksum, h.checksum);
    ASSERT_EQ(p->urgent_pointer, h.urgent_pointer);
    ASSERT_TRUE(std::equal(p->options.begin(), p->options.end(),
                           h.options.begin(), h.options.end()));
  }
}

struct FlagsRow {
  int bits;
  std::string_view text;
};

TEST(TcpFlags, PrintAsPacketScriptLetters) {
  constexpr FlagsRow kRows[] = {
      {0, "-"},
      {TcpFlags::kSyn, "S"},
      {TcpFlags::kSyn | TcpFlags::kAck, "S."},
      {TcpFlags::kAck, "."},
      {TcpFlags::kPsh | TcpFlags::kAck, "P."},
      {TcpFlags::kFin | TcpFlags::kPsh | TcpFlags::kAck, "FP."},
      {TcpFlags::kRst | TcpFlags::kAck, "R."},
      {TcpFlags::kSyn | TcpFlags::kEce | TcpFlags::kCwr, "SEW"},
      {0xff, "FSRPUEW."},
  };
  for (const FlagsRow& row : kRows) {
    EXPECT_EQ(TcpFlags(row.bits).ToString(), row.text);
  }
}

TEST(TcpFlags, WithAndWithoutChangeOnlyTheNamedBits) {
  constexpr TcpFlags kFlags(TcpFlags::kSyn | TcpFlags::kEce);
  EXPECT_EQ(kFlags.With(TcpFlags::kAck).ToString(), "SE.");
  EXPECT_EQ(kFlags.Without(TcpFlags::kSyn).ToString(), "E");
  EXPECT_EQ(kFlags.Without(TcpFlags::kAck), kFlags);
  EXPECT_TRUE(kFlags.syn() && kFlags.ece());
  EXPECT_FALSE(kFlags.fin() || kFlags.rst() || kFlags.psh() || kFlags.ack() ||
               kFlags.urg() || kFlags.cwr());
}

// The sum as the RFCs draw the pseudo header, one word at a time.
uint16_t SlowSum(const Bytes& bytes) {
  uint32_t sum = 0;
  for (size_t i = 0; i < bytes.size(); i += 2) sum += LoadBe16(&bytes[i]);
  while (sum >> 16 != 0) sum = (sum & 0xffff) + (sum >> 16);
  return static_cast<uint16_t>(sum);
}

Bytes PseudoHeader(const IpAddress& source, const IpAddress& destination,
                   uint8_t protocol, uint32_t length) {
  Bytes bytes;
  bytes.insert(bytes.end(), source.bytes().begin(), source.bytes().end());
  bytes.insert(bytes.end(), destination.bytes().begin(),
               destination.bytes().end());
  const auto b = [&](int shift) {
    return static_cast<uint8_t>(length >> shift);
  };
  if (source.IsIpv4()) {  // [RFC 9293 3.1]
    bytes.insert(bytes.end(), {0, protocol, b(8), b(0)});
  } else {  // [RFC 8200 8.1]
    bytes.insert(bytes.end(), {b(24), b(16), b(8), b(0), 0, 0, 0, protocol});
  }
  return bytes;
}

// [RFC 9293 3.1 MUST-2] the conceptual header is part of the sum
TEST(PseudoHeaderSum, EqualsTheSumOfTheDrawnHeaderInBothFamilies) {
  constexpr uint64_t kSeed = 7;
  SeededRng rng(kSeed);
  for (int i = 0; i < 10'000; ++i) {
    uint8_t bytes[32];
    for (uint8_t& b : bytes) b = static_cast<uint8_t>(rng.Next());
    if (rng.Below(4) == 0) std::fill(bytes, bytes + 32, 0xff);
    if (rng.Below(4) == 0) std::fill(bytes, bytes + 32, 0x00);
    const bool v4 = rng.Below(2) != 0;
    const IpAddress source =
        v4 ? IpAddress::FromIpv4Bytes(bytes) : IpAddress::FromIpv6Bytes(bytes);
    const IpAddress destination = v4 ? IpAddress::FromIpv4Bytes(bytes + 16)
                                     : IpAddress::FromIpv6Bytes(bytes + 16);
    const uint32_t length = rng.Below(v4 ? 65536 : 1 << 20);
    ASSERT_EQ(PseudoHeaderSum(source, destination, 6, length).value(),
              SlowSum(PseudoHeader(source, destination, 6, length)))
        << "seed " << kSeed << " round " << i;
  }
}

TEST(PseudoHeaderSum, MakesASegmentWithItsChecksumValid) {
  // A SYN from 192.0.2.1 to 198.51.100.7; 0x9943 was computed elsewhere.
  const Bytes segment = {0x9c, 0x40, 0x00, 0x50, 0x01, 0x02, 0x03, 0x04,
                         0x00, 0x00, 0x00, 0x00, 0x60, 0x02, 0x72, 0x10,
                         0x99, 0x43, 0x00, 0x00, 0x02, 0x04, 0x05, 0xb4};
  PartialSum sum = PseudoHeaderSum(IpAddress::Ipv4(192, 0, 2, 1),
                                   IpAddress::Ipv4(198, 51, 100, 7), 6, 24);
  sum.Combine(SumBytes(segment), 0);
  EXPECT_TRUE(sum.IsValid());
}

TEST(PseudoHeader, IsTheSameFromTheAddressesOfAHeader) {
  const std::pair<const char*, const char*> kPairs[] = {
      {"10.0.0.1", "192.0.2.7"}, {"2001:db8::1", "fd00::2"}};
  for (const auto& [from, to] : kPairs) {
    const IpAddress source = *IpAddress::Parse(from);
    const IpAddress destination = *IpAddress::Parse(to);
    std::vector<uint8_t> both(source.bytes().begin(), source.bytes().end());
    both.insert(both.end(), destination.bytes().begin(),
                destination.bytes().end());
    EXPECT_EQ(PseudoHeaderSum(both, 6, 70'000),
              PseudoHeaderSum(source, destination, 6, 70'000));
  }
}

}  // namespace
}  // namespace tcpip::wire
