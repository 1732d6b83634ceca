#include "conformance/parser_packets.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "conformance/parser_options.h"
#include "tcpip/wire/tcp.h"

namespace conformance {
namespace {

using Kind = Token::Kind;
using tcpip::wire::TcpFlags;

// --- Before the transport header.

bool AtTunnel(const Cursor& cursor) {
  return cursor.AtWord("ipv4") || cursor.AtWord("ipv6") ||
         cursor.AtWord("gre") || cursor.AtWord("mpls");
}

// Up to a colon with a gap behind it: an IPv6 address has others.
bool ParseTunnel(Cursor& cursor, std::string& text) {
  while (true) {
    const bool bare = cursor.At(Kind::kWord) || cursor.At(Kind::kInteger) ||
                      cursor.At(Kind::kDecimal) || cursor.At(Kind::kBytes) ||
                      cursor.At(Kind::kPunctuation);
    if (!bare) return cursor.Fail("the ':' that ends a tunnel header");
    const Token token = cursor.Take();
    if (token.text == ":" && !cursor.token().glued) return true;
    if (!token.glued && !text.empty()) text += ' ';
    text += token.text;
  }
}

bool ParseIpField(Cursor& cursor, IpSpec& ip) {
  struct Name {
    std::string_view word;
    IpSpec::Ecn ecn;
  };
  constexpr Name kNames[] = {{"noecn", IpSpec::Ecn::kNone},
                             {"ect0", IpSpec::Ecn::kEct0},
                             {"ect1", IpSpec::Ecn::kEct1},
                             {"ce", IpSpec::Ecn::kCe},
                             {"ect01", IpSpec::Ecn::kEither}};
  for (const Name& name : kNames) {
    if (!cursor.AcceptWord(name.word)) continue;
    ip.ecn = name.ecn;
    return true;
  }
  if (cursor.AcceptWord("tos")) return cursor.Number(ip.tos);
  if (cursor.AcceptWord("ttl")) return cursor.Number(ip.ttl);
  if (cursor.AcceptWord("flowlabel")) {
    constexpr uint64_t kMaxFlowLabel = 0xfffff;
    uint64_t label = 0;
    if (!cursor.Unsigned(kMaxFlowLabel, label)) return false;
    ip.flow_label = static_cast<uint32_t>(label);
    return true;
  }
  return cursor.Fail("noecn, ect0, ect1, ect01, ce, tos, ttl or flowlabel");
}

bool ParseIp(Cursor& cursor, IpSpec& ip) {
  const bool round = cursor.At('(');
  if (!round && !cursor.At('[')) return true;
  cursor.Take();
  do {
    if (!ParseIpField(cursor, ip)) return false;
  } while (cursor.Accept(','));
  return cursor.Expect(round ? ')' : ']');
}

bool ParsePorts(Cursor& cursor, std::optional<PortsSpec>& ports) {
  if (!cursor.At(Kind::kInteger)) return true;
  ports.emplace();
  return cursor.Number(ports->source) && cursor.Expect('>') &&
         cursor.Number(ports->destination);
}

// --- TCP.

// "start:end(length)"
template <class Spec>
bool ParseSequence(Cursor& cursor, Spec& spec) {
  const int line = cursor.token().line;
  if (!cursor.Number(spec.start) || !cursor.Expect(':') ||
      !cursor.Number(spec.end) || !cursor.Expect('(') ||
      !cursor.Number(spec.length) || !cursor.Expect(')')) {
    return false;
  }
  const uint32_t end = spec.start + spec.length;
  return spec.end == end ||
         cursor.FailAt(line, "the end to be " + std::to_string(end),
                       std::to_string(spec.end));
}

// Letters in any order, a dot for ACK, one digit 0-7 for the ACE field, or "-".
bool ReadFlags(std::string_view text, TcpSpec& tcp) {
  constexpr std::string_view kLetters = "FSRP.UEWA";
  constexpr size_t kAe = 8;  // [RFC 9768 3.1] the bit before CWR
  static_assert(1 << kLetters.find('W') == TcpFlags::kCwr);
  const bool none = text[0] == '-';
  if (none) text.remove_prefix(1);
  unsigned bits = 0;
  for (const char c : text) {
    const size_t bit = kLetters.find(c);
    if (bit != kLetters.npos) {
      bits |= 1u << bit;
    } else if (c >= '0' && c <= '7' && !tcp.ace) {
      tcp.ace = static_cast<uint8_t>(c - '0');
    } else {
      return false;
    }
  }
  constexpr unsigned kAce = 1u << kAe | TcpFlags::kCwr | TcpFlags::kEce;
  if (none && bits != 0) return false;
  if (tcp.ace && (bits & kAce) != 0) return false;
  if ((bits >> kAe) != 0) {
    tcp.ace = static_cast<uint8_t>((bits & kAce) / TcpFlags::kEce);
    bits &= ~kAce;
  }
  tcp.flags = TcpFlags(static_cast<int>(bits));
  return true;
}

// ".5" is a decimal for the lexer, "P" a word.
bool IsFlagPart(const Cursor& cursor) {
  return cursor.At(Kind::kWord) || cursor.At('.') || cursor.At('-') ||
         cursor.At(Kind::kDecimal) || cursor.At(Kind::kInteger);
}

bool ParseFlags(Cursor& cursor, TcpSpec& tcp) {
  constexpr std::string_view kExpected =
      "TCP flags of F, S, R, P, U, E, W, A and '.', or '-'";
  if (!IsFlagPart(cursor)) return cursor.Fail(kExpected);
  Token whole = cursor.Take();
  std::string text(whole.text);
  while (cursor.token().glued && IsFlagPart(cursor)) {
    text += cursor.Take().text;
  }
  if (ReadFlags(text, tcp)) return true;
  whole.text = text;
  return cursor.FailAt(whole.line, kExpected, Describe(whole));
}

bool ParseTcp(Cursor& cursor, Direction direction, TcpSpec& tcp) {
  if (!ParsePorts(cursor, tcp.ports) || !ParseFlags(cursor, tcp) ||
      !ParseSequence(cursor, tcp)) {
    return false;
  }
  if (cursor.AcceptWord("ack") && !cursor.Number(tcp.ack)) return false;
  if (cursor.AcceptWord("win") && !cursor.Number(tcp.window)) return false;
  if (direction == Direction::kInbound && !tcp.window) {
    return cursor.Fail("'win'");
  }
  if (cursor.AcceptWord("urg") && !cursor.Number(tcp.urgent)) return false;
  if (!cursor.Accept('<')) return true;
  if (direction == Direction::kInbound || !cursor.Accept(Kind::kEllipsis)) {
    return ParseTcpOptionList(cursor, *tcp.options);
  }
  tcp.options.reset();
  return cursor.Expect('>');
}

// --- The others.

bool ParseLength(Cursor& cursor, uint16_t& length) {
  return cursor.Expect('(') && cursor.Number(length) && cursor.Expect(')');
}

bool ParseEchoed(Cursor& cursor, IcmpSpec& icmp) {
  bool good;
  if (cursor.AcceptWord("udp")) {
    good = ParseLength(cursor, icmp.echoed.emplace<EchoedUdp>().length);
  } else if (cursor.AcceptWord("raw")) {
    good = ParseLength(cursor, icmp.echoed.emplace<EchoedRaw>().length);
  } else {
    good = ParseSequence(cursor, icmp.echoed.emplace<EchoedTcp>());
  }
  return good && cursor.Expect(']');
}

bool ParseIcmp(Cursor& cursor, IcmpSpec& icmp) {
  if (!cursor.At(Kind::kWord) && !cursor.At(Kind::kInteger)) {
    return cursor.Fail("an ICMP type");
  }
  const Token type = cursor.Take();
  icmp.type = type.text;
  // A number on another line is the time of the next event.
  const bool number =
      cursor.At(Kind::kInteger) && cursor.token().line == type.line;
  const bool word =
      cursor.At(Kind::kWord) && !cursor.AtWord("mtu") && !cursor.AtWord("id");
  if (number || word) icmp.code = cursor.Take().text;
  if (cursor.AcceptWord("mtu") && !cursor.Number(icmp.mtu)) return false;
  if (cursor.AcceptWord("id") && !cursor.Number(icmp.id)) return false;
  return !cursor.Accept('[') || ParseEchoed(cursor, icmp);
}

}  // namespace

bool ParsePacket(Cursor& cursor, PacketSpec& packet) {
  packet.direction =
      cursor.Accept('<') ? Direction::kInbound : Direction::kOutbound;
  if (packet.direction == Direction::kOutbound && !cursor.Expect('>')) {
    return false;
  }
  while (AtTunnel(cursor)) {
    if (!ParseTunnel(cursor, packet.encapsulation.emplace_back())) return false;
  }
  if (!ParseIp(cursor, packet.ip)) return false;
  if (cursor.AcceptWord("udp")) {
    auto& udp = packet.transport.emplace<UdpSpec>();
    return ParsePorts(cursor, udp.ports) && ParseLength(cursor, udp.length);
  }
  if (cursor.AcceptWord("icmp")) {
    return ParseIcmp(cursor, packet.transport.emplace<IcmpSpec>());
  }
  return ParseTcp(cursor, packet.direction,
                  packet.transport.emplace<TcpSpec>());
}

}  // namespace conformance
