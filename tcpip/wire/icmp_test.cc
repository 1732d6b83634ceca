#include "tcpip/wire/icmp.h"

#include <gtest/gtest.h>

#include <vector>

namespace tcpip::wire {
namespace {

constexpr IpFamily kV4 = IpFamily::kIpv4;
constexpr IpFamily kV6 = IpFamily::kIpv6;

std::vector<uint8_t> Emit(IpFamily family, const IcmpMessage& message) {
  std::vector<uint8_t> bytes(kIcmpHeaderSize, 0xee);
  EmitIcmpHeader(family, message, bytes);
  return bytes;
}

IcmpMessage Parse(IpFamily family, const std::vector<uint8_t>& bytes) {
  const std::optional<IcmpMessage> message = ParseIcmp(family, bytes);
  EXPECT_TRUE(message.has_value());
  return message.value_or(IcmpMessage());
}

struct KindRow {
  IpFamily family;
  uint8_t type;
  uint8_t code;
  IcmpKind kind;
};

// [RFC 792] [RFC 1122 3.2.2.1] [RFC 1812 5.2.7.1] [RFC 4443 3]
TEST(Icmp, TypeAndCodeDecideTheKind) {
  constexpr KindRow kRows[] = {
      {kV4, 0, 0, IcmpKind::kEchoReply},
      {kV4, 3, 0, IcmpKind::kNoRoute},
      {kV4, 3, 1, IcmpKind::kNoRoute},
      {kV4, 3, 2, IcmpKind::kProtocolUnreachable},
      {kV4, 3, 3, IcmpKind::kPortUnreachable},
      {kV4, 3, 4, IcmpKind::kPacketTooBig},
      {kV4, 3, 5, IcmpKind::kNoRoute},
      {kV4, 3, 6, IcmpKind::kNoRoute},
      {kV4, 3, 7, IcmpKind::kNoRoute},
      {kV4, 3, 8, IcmpKind::kNoRoute},
      {kV4, 3, 9, IcmpKind::kAdminProhibited},
      {kV4, 3, 10, IcmpKind::kAdminProhibited},
      {kV4, 3, 11, IcmpKind::kNoRoute},
      {kV4, 3, 12, IcmpKind::kNoRoute},
      {kV4, 3, 13, IcmpKind::kAdminProhibited},
      {kV4, 3, 14, IcmpKind::kOther},
      {kV4, 3, 255, IcmpKind::kOther},
      {kV4, 4, 0, IcmpKind::kOther},  // source quench
      {kV4, 5, 0, IcmpKind::kOther},  // redirect
      {kV4, 8, 0, IcmpKind::kEchoRequest},
      {kV4, 11, 0, IcmpKind::kTimeExceeded},
      {kV4, 11, 1, IcmpKind::kTimeExceeded},
      {kV4, 12, 0, IcmpKind::kParameterProblem},
      {kV4, 13, 0, IcmpKind::kOther},
      {kV4, 128, 0, IcmpKind::kOther},
      {kV6, 0, 0, IcmpKind::kOther},
      {kV6, 1, 0, IcmpKind::kNoRoute},
      {kV6, 1, 1, IcmpKind::kAdminProhibited},
      {kV6, 1, 2, IcmpKind::kNoRoute},
      {kV6, 1, 3, IcmpKind::kNoRoute},
      {kV6, 1, 4, IcmpKind::kPortUnreachable},
      {kV6, 1, 5, IcmpKind::kAdminProhibited},
      {kV6, 1, 6, IcmpKind::kAdminProhibited},
      {kV6, 1, 7, IcmpKind::kOther},
      {kV6, 2, 0, IcmpKind::kPacketTooBig},
      {kV6, 3, 0, IcmpKind::kTimeExceeded},
      {kV6, 3, 1, IcmpKind::kTimeExceeded},
      {kV6, 4, 0, IcmpKind::kParameterProblem},
      {kV6, 4, 1, IcmpKind::kProtocolUnreachable},
      {kV6, 4, 2, IcmpKind::kParameterProblem},
      {kV6, 8, 0, IcmpKind::kOther},
      {kV6, 128, 0, IcmpKind::kEchoRequest},
      {kV6, 129, 0, IcmpKind::kEchoReply},
      {kV6, 135, 0, IcmpKind::kOther},  // neighbour solicitation
  };
  for (const KindRow& row : kRows) {
    const IcmpMessage message =
        Parse(row.family, {row.type, row.code, 0, 0, 0, 0, 0, 0});
    EXPECT_EQ(message.kind, row.kind) << (row.family == kV4 ? "v4 " : "v6 ")
                                      << int{row.type} << '/' << int{row.code};
    EXPECT_EQ(message.type, row.type);
    EXPECT_EQ(message.code, row.code);
  }
}

struct UsualRow {
  IcmpKind kind;
  uint8_t v4_type, v4_code;
  uint8_t v6_type, v6_code;
};

TEST(Icmp, EveryKindHasItsUsualNumbersInBothFamilies) {
  constexpr UsualRow kRows[] = {
      {IcmpKind::kEchoRequest, 8, 0, 128, 0},
      {IcmpKind::kEchoReply, 0, 0, 129, 0},
      {IcmpKind::kNoRoute, 3, 0, 1, 0},
      {IcmpKind::kAdminProhibited, 3, 13, 1, 1},
      {IcmpKind::kPortUnreachable, 3, 3, 1, 4},
      {IcmpKind::kProtocolUnreachable, 3, 2, 4, 1},
      {IcmpKind::kPacketTooBig, 3, 4, 2, 0},
      {IcmpKind::kTimeExceeded, 11, 0, 3, 0},
      {IcmpKind::kParameterProblem, 12, 0, 4, 0},
  };
  for (const UsualRow& row : kRows) {
    const int kind = static_cast<int>(row.kind);
    EXPECT_EQ(TypeCodeFor(kV4, row.kind).type, row.v4_type) << kind;
    EXPECT_EQ(TypeCodeFor(kV4, row.kind).code, row.v4_code) << kind;
    EXPECT_EQ(TypeCodeFor(kV6, row.kind).type, row.v6_type) << kind;
    EXPECT_EQ(TypeCodeFor(kV6, row.kind).code, row.v6_code) << kind;
    IcmpMessage message;
    message.kind = row.kind;
    EXPECT_EQ(
        Emit(kV4, message),
        (std::vector<uint8_t>{row.v4_type, row.v4_code, 0, 0, 0, 0, 0, 0}));
    EXPECT_EQ(
        Emit(kV6, message),
        (std::vector<uint8_t>{row.v6_type, row.v6_code, 0, 0, 0, 0, 0, 0}));
  }
}

// Also shows that a code of the kind is kept, and no other.
TEST(Icmp, EmitGivesBackEveryHeaderOfAKnownKind) {
  for (const IpFamily family : {kV4, kV6}) {
    for (int type_code = 0; type_code < 65536; ++type_code) {
      const std::vector<uint8_t> bytes = {static_cast<uint8_t>(type_code >> 8),
                                          static_cast<uint8_t>(type_code),
                                          0,
                                          0,
                                          0,
                                          0,
                                          0,
                                          0};
      const IcmpMessage message = Parse(family, bytes);
      if (message.kind == IcmpKind::kOther) continue;
      ASSERT_EQ(Emit(family, message), bytes) << type_code;
    }
  }
}

TEST(Icmp, EchoCarriesIdentifierSequenceAndData) {
  const std::vector<uint8_t> request = {8,    0,    0xab, 0xcd, 0x12,
                                        0x34, 0x56, 0x78, 'h',  'i'};
  const IcmpMessage m = Parse(kV4, request);
  EXPECT_EQ(m.checksum, 0xabcd);
  EXPECT_EQ(m.echo_id, 0x1234);
  EXPECT_EQ(m.echo_seq, 0x5678);
  ASSERT_EQ(m.payload.size(), 2u);
  EXPECT_EQ(m.payload.data(), request.data() + 8);

  IcmpMessage reply = m;
  reply.kind = IcmpKind::kEchoReply;
  EXPECT_EQ(Emit(kV6, reply),
            (std::vector<uint8_t>{129, 0, 0, 0, 0x12, 0x34, 0x56, 0x78}));
}

// [RFC 1191 4] the next-hop MTU is the low half of the second word; 0 from a
// router that knows no better. [RFC 4443 3.2] in IPv6 it is the whole word.
// [fault I10]
TEST(Icmp, PacketTooBigCarriesTheMtuOfItsFamily) {
  EXPECT_EQ(Parse(kV4, {3, 4, 0, 0, 9, 9, 0x05, 0xdc}).mtu, 1500u);
  EXPECT_EQ(Parse(kV4, {3, 4, 0, 0, 9, 9, 0, 0}).mtu, 0u);
  EXPECT_EQ(Parse(kV6, {2, 0, 0, 0, 0x00, 0x01, 0x05, 0x00}).mtu, 66816u);

  IcmpMessage m;
  m.kind = IcmpKind::kPacketTooBig;
  m.mtu = 1400;
  EXPECT_EQ(Emit(kV4, m), (std::vector<uint8_t>{3, 4, 0, 0, 0, 0, 5, 0x78}));
  EXPECT_EQ(Emit(kV6, m), (std::vector<uint8_t>{2, 0, 0, 0, 0, 0, 5, 0x78}));
  m.mtu = 0x12345;
  EXPECT_EQ(Emit(kV4, m), (std::vector<uint8_t>{3, 4, 0, 0, 0, 0, 0xff, 0xff}));
  EXPECT_EQ(Emit(kV6, m), (std::vector<uint8_t>{2, 0, 0, 0, 0, 1, 0x23, 0x45}));
}

TEST(Icmp, ParameterProblemPointsWithAByteInV4AndAWordInV6) {
  EXPECT_EQ(Parse(kV4, {12, 0, 0, 0, 20, 9, 9, 9}).pointer, 20u);
  EXPECT_EQ(Parse(kV6, {4, 2, 0, 0, 0, 0, 1, 2}).pointer, 258u);
  EXPECT_EQ(Parse(kV6, {4, 1, 0, 0, 0, 0, 0, 40}).pointer, 40u);
  EXPECT_EQ(Parse(kV4, {3, 2, 0, 0, 9, 9, 9, 9}).pointer, 0u);

  IcmpMessage m;
  m.kind = IcmpKind::kParameterProblem;
  m.code = 2;
  m.pointer = 42;
  EXPECT_EQ(Emit(kV4, m), (std::vector<uint8_t>{12, 2, 0, 0, 42, 0, 0, 0}));
  EXPECT_EQ(Emit(kV6, m), (std::vector<uint8_t>{4, 2, 0, 0, 0, 0, 0, 42}));
  m.kind = IcmpKind::kProtocolUnreachable;
  m.code = 0;
  EXPECT_EQ(Emit(kV4, m), (std::vector<uint8_t>{3, 2, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(Emit(kV6, m), (std::vector<uint8_t>{4, 1, 0, 0, 0, 0, 0, 42}));
}

TEST(Icmp, FewerThanEightBytesAreNoMessage) {
  for (size_t size = 0; size < kIcmpHeaderSize; ++size) {
    const std::vector<uint8_t> bytes(size, 3);
    EXPECT_FALSE(ParseIcmp(kV4, bytes).has_value()) << size;
    EXPECT_FALSE(ParseIcmp(kV6, bytes).has_value()) << size;
  }
  EXPECT_TRUE(ParseIcmp(kV4, std::vector<uint8_t>(8)).has_value());
}

// [RFC 1122 3.2.2.1], [RFC 4443 3.1]
TEST(Icmp, SomeUnreachablesAreAboutTheNetwork) {
  for (int code = 0; code < 256; ++code) {
    const auto c = static_cast<uint8_t>(code);
    EXPECT_EQ(IsNetUnreachable(IpFamily::kIpv4, c),
              c == 0 || c == 5 || c == 6 || c == 11);
    EXPECT_EQ(IsNetUnreachable(IpFamily::kIpv6, c), c == 0);
  }
}

}  // namespace
}  // namespace tcpip::wire
