#include "conformance/parser_packets.h"

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "conformance/lexer.h"
#include "conformance/packet_text.h"
#include "gtest/gtest.h"
#include "tcpip/wire/tcp.h"

namespace conformance {
namespace {

using tcpip::wire::TcpFlags;

struct Parsed {
  PacketSpec packet;
  std::string error;
};
Parsed Parse(std::string_view text) {
  Lexer lexer(text, "linux");
  Cursor cursor(lexer);
  Parsed parsed;
  if (ParsePacket(cursor, parsed.packet) && !cursor.At(Token::Kind::kEnd)) {
    cursor.Fail("the end");
  }
  parsed.error = cursor.error();
  return parsed;
}

TcpSpec Tcp(const std::string& text) {
  const Parsed parsed = Parse(text);
  EXPECT_EQ(parsed.error, "") << text;
  const auto* tcp = std::get_if<TcpSpec>(&parsed.packet.transport);
  return tcp ? *tcp : TcpSpec();
}

TEST(ParserPackets, TheFormsOfScripts) {
  struct {
    const char* text;
    const char* again;  // nullptr: as the text
  } const kCases[] = {
      {"> S. 0:0(0) ack 1 win 65535 <mss 1460,nop,wscale 7>", nullptr},
      {"< S 0:0(0) win 32792 <mss 1000,sackOK,nop,nop,nop,wscale 7>", nullptr},
      {"> P. 1:1461(1460) ack 1", nullptr},
      {"> .  2:2(0) ack 2", "> . 2:2(0) ack 2"},
      {">P. 1:2(1)ack 1<nop,nop ,TS val 2 ecr 1>",
       "> P. 1:2(1) ack 1 <nop,nop,TS val 2 ecr 1>"},
      {"< - 1:1(0) win 0 urg 0", nullptr},
      {"> S. 0:0(0) ack 1 <...>", nullptr},
      {"< 4000 > 53 . 1:1(0) ack 1 win 9", nullptr},
      {"> [ect0] P.5 1005:2001(996) ack 1 <ECN e1b 1 ceb 0 e0b 1, nop>",
       "> [ect0] P.5 1005:2001(996) ack 1 <ECN e1b 1 ceb 0 e0b 1,nop>"},
      {"> (tos 0x2, flowlabel 0xfffff) . 1:1(0)",
       "> [tos 2,flowlabel 1048575] . 1:1(0)"},
      {"< [noecn,ttl 64] . 1:1(0) win 1", nullptr},
      {"< . 1:1(0) ack 1 win 9 <nop,nop,sack 1:2 4294967295:5>", nullptr},
      {"> S 0:0(0) <FO,nop,nop>", nullptr},
      {"> S 0:0(0) <FO 12345678,FOEXP ab12>", nullptr},
      {"> S 0:0(0) <FO 1E5F,eol,eol,eol,eol>",
       "> S 0:0(0) <FO 1e5f,eol,eol,eol,eol>"},
      {"> . 1:1(0) <md5 000102030405060708090a0b0c0d0e0f,nop,nop>", nullptr},
      {"> . 4294967295:1(2) ack 4294967295", nullptr},
      {"> udp (1000)", nullptr},
      {"< udp 4000 > 53 (12)", nullptr},
      {"< icmp unreachable frag_needed mtu 1200 [1:1461(1460)]", nullptr},
      {"< icmp unreachable 13 [udp (8)]", nullptr},
      {"< icmp 3 id 7 [raw (9)]", nullptr},
      {"< icmp packet_too_big", nullptr},
      {"< ipv4 2.2.2.2 > 1.1.1.1 : gre: mpls (label 123, tc 1, [S], ttl 255):\n"
       ". 1:1001(1000) ack 1 win 123",
       "< ipv4 2.2.2.2 > 1.1.1.1: gre: mpls (label 123, tc 1, [S], ttl 255): "
       ". 1:1001(1000) ack 1 win 123"},
      {"> ipv6 2::2222 > 1::1111: gre flags 0xb000, sum 511: . 1:1(0)",
       nullptr},
  };
  for (const auto& c : kCases) {
    const Parsed parsed = Parse(c.text);
    EXPECT_EQ(parsed.error, "") << c.text;
    EXPECT_EQ(ToText(parsed.packet), c.again ? c.again : c.text);
  }
}

TEST(ParserPackets, FieldsOfTcp) {
  const TcpSpec tcp = Tcp("< 1 > 2 SP. 5:9(4) ack 7 win 8 urg 9 <mss 10>");
  EXPECT_EQ(tcp.ports, (PortsSpec{1, 2}));
  EXPECT_EQ(tcp.flags,
            TcpFlags(TcpFlags::kSyn | TcpFlags::kPsh | TcpFlags::kAck));
  EXPECT_EQ(tcp.start, 5u);
  EXPECT_EQ(tcp.end, 9u);
  EXPECT_EQ(tcp.length, 4u);
  EXPECT_EQ(tcp.ack, 7u);
  EXPECT_EQ(tcp.window, 8);
  EXPECT_EQ(tcp.urgent, 9);
  ASSERT_TRUE(tcp.options.has_value());
  EXPECT_EQ(*tcp.options, std::vector<OptionSpec>{option::Mss{10}});

  const TcpSpec bare = Tcp("> F 5:5(0)");
  EXPECT_FALSE(bare.ports || bare.ack || bare.window || bare.urgent);
  EXPECT_TRUE(bare.options && bare.options->empty());
  EXPECT_FALSE(Tcp("> F 5:5(0) <...>").options.has_value());
}

// [RFC 9768 3.1] AE, CWR and ECE are one field of three bits
TEST(ParserPackets, FlagsAndTheAceField) {
  constexpr int kNoAce = -1;
  struct {
    const char* text;
    int bits;
    int ace;
  } const kCases[] = {
      {"-", 0, kNoAce},
      {"FSRPUEW.", 0xff, kNoAce},
      {"SEW", TcpFlags::kSyn | TcpFlags::kEce | TcpFlags::kCwr, kNoAce},
      {"SEWA", TcpFlags::kSyn, 7},
      {"SA.", TcpFlags::kSyn | TcpFlags::kAck, 4},
      {"WA.", TcpFlags::kAck, 6},
      {".EA", TcpFlags::kAck, 5},
      {".5", TcpFlags::kAck, 5},
      {"P.0", TcpFlags::kPsh | TcpFlags::kAck, 0},
      {"S7", TcpFlags::kSyn, 7},
      {"-3", 0, 3},
  };
  for (const auto& c : kCases) {
    const TcpSpec tcp = Tcp(std::string("> ") + c.text + " 0:0(0)");
    EXPECT_EQ(tcp.flags, TcpFlags(c.bits)) << c.text;
    EXPECT_EQ(tcp.ace ? *tcp.ace : kNoAce, c.ace) << c.text;
  }
  for (const char* bad : {"X", ".8", ".55", "E.5", "A.5", "-S", "--", "S-"}) {
    EXPECT_NE(Parse(std::string("> ") + bad + " 0:0(0)").error, "") << bad;
  }
}

TEST(ParserPackets, ADotBeforeASequenceIsNoDecimal) {
  EXPECT_EQ(Tcp("> . 5:6(1)").start, 5u);
  EXPECT_FALSE(Tcp("> . 5:6(1)").ace.has_value());
  EXPECT_FALSE(Tcp("> P. 5:6(1)").ace.has_value());
}

TEST(ParserPackets, ACodeOfIcmpStandsOnTheLineOfItsType) {
  Lexer lexer("< icmp echo_request\n1 close", "linux");
  Cursor cursor(lexer);
  PacketSpec packet;
  ASSERT_TRUE(ParsePacket(cursor, packet));
  EXPECT_EQ(std::get<IcmpSpec>(packet.transport).code, "");
  EXPECT_EQ(cursor.token().text, "1");
}

TEST(ParserPackets, WhatIsWrongIsNamed) {
  struct {
    const char* text;
    const char* error;
  } const kCases[] = {
      {"> 0:0(0)", "1: expected '>', found ':'"},
      {"> \n(0)",
       "2: expected noecn, ect0, ect1, ect01, ce, tos, ttl or "
       "flowlabel, found '0'"},
      {"> [ect2] . 1:1(0)",
       "1: expected noecn, ect0, ect1, ect01, ce, tos, "
       "ttl or flowlabel, found 'ect2'"},
      {"> [ect0) . 1:1(0)", "1: expected ']', found ')'"},
      {"> [tos 256] . 1:1(0)", "1: expected a number up to 255, found '256'"},
      {"> [flowlabel 0x100000] . 1:1(0)",
       "1: expected a number up to 1048575, found '0x100000'"},
      {"> \"a\"",
       "1: expected TCP flags of F, S, R, P, U, E, W, A and '.', or "
       "'-', found a string"},
      {"> Sx 0:0(0)",
       "1: expected TCP flags of F, S, R, P, U, E, W, A and "
       "'.', or '-', found 'Sx'"},
      {"> . 1:1461(1400)", "1: expected the end to be 1401, found 1461"},
      {"> . 1:65537(65536)", "1: expected a number up to 65535, found '65536'"},
      {"> . 1:1(0) ack 4294967296",
       "1: expected a number up to 4294967295, found '4294967296'"},
      {"< . 1:1(0) ack 1", "1: expected 'win', found the end"},
      {"< . 1:1(0) win 1 <...>", "1: expected a TCP option, found '...'"},
      {"> . 1:1(0) <>", "1: expected a TCP option, found '>'"},
      {"> . 1:1(0) <mss>", "1: expected a number, found '>'"},
      {"> . 1:1(0) <nop,\nmp_capable>",
       "2: expected a TCP option, found 'mp_capable'"},
      {"> . 1:1(0) <FO abc,nop>",
       "1: expected pairs of hexadecimal digits, found 'abc'"},
      {"> . 1:1(0) <md5 00>",
       "1: expected a digest of 16 bytes, found 1 "
       "bytes"},
      {"> . 1:1(0) <ECN e0b 16777216>",
       "1: expected a number up to 16777215, found '16777216'"},
      {"> . 1:1(0) <ECN ceb 1>", "1: expected '>', found 'ceb'"},
      {"> udp 8", "1: expected '>', found the end"},
      {"> icmp (", "1: expected an ICMP type, found '('"},
      {"> icmp unreachable [1:2(0)]", "1: expected the end to be 1, found 2"},
      {"> ipv4 1.1.1.1 > 2.2.2.2",
       "1: expected the ':' that ends a tunnel header, found the end"},
  };
  for (const auto& c : kCases) EXPECT_EQ(Parse(c.text).error, c.error);
}

// [RFC 9293 3.1] the data offset counts words, up to 40 bytes of options
TEST(ParserPackets, OptionsFillWholeWords) {
  struct {
    const char* options;
    const char* bytes;  // nullptr: they may stand
  } const kCases[] = {
      {"mss 1460", nullptr},
      {"mss 1460,nop", "5 bytes"},
      {"wscale 7", "3 bytes"},
      {"sackOK", "2 bytes"},
      {"sack 1:2", "10 bytes"},
      {"sack 1:2,eol,nop", nullptr},
      {"sackOK,TS val 1 ecr 2", nullptr},
      {"sack 1:2 3:4 5:6 7:8", "34 bytes"},
      {"nop,nop,sack 1:2 3:4 5:6 7:8,mss 9", nullptr},
      {"nop,nop,sack 1:2 3:4 5:6 7:8 9:10", "44 bytes"},
      {"FOEXP", nullptr},
      {"FOEXP abcd", "6 bytes"},
      {"FO ab,nop", nullptr},
      // [RFC 9768 3.2.3] with none to three counters
      {"ECN", "2 bytes"},
      {"ECN e0b 1,nop,nop,nop", nullptr},
      {"ECN e1b 1 ceb 2,eol,nop,nop,nop", nullptr},
      {"ECN e1b 1 ceb 2 e0b 3,nop", nullptr},
  };
  for (const auto& c : kCases) {
    const std::string text = std::string("> . 1:1(0) <") + c.options + ">";
    const std::string error =
        c.bytes ? std::string(
                      "1: expected TCP options of a multiple of 4, at "
                      "most 40 bytes, found ") +
                      c.bytes
                : "";
    EXPECT_EQ(Parse(text).error, error) << text;
  }
}

}  // namespace
}  // namespace conformance
