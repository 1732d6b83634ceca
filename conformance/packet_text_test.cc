#include "conformance/packet_text.h"

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "conformance/parser.h"
#include "gtest/gtest.h"
#include "tcpip/base/rng.h"
#include "tcpip/wire/tcp.h"

namespace conformance {
namespace {

using tcpip::Duration;

// --- A table.

TEST(PacketText, TimesHaveNoZeroToSpare) {
  struct {
    int64_t ns;
    const char* text;
  } const kCases[] = {
      {0, "0"},
      {1, ".000000001"},
      {100'000'000, ".1"},
      {1'000'000'000, "1"},
      {1'000'001'000, "1.000001"},
      {60'010'000'000, "60.01"},
      {-100'000'000, "-.1"},
      {-1'500'000'000, "-1.5"},
      {std::numeric_limits<int64_t>::min(), "-9223372036.854775808"},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(ToText(Duration::Nanoseconds(c.ns)), c.text);
  }
}

TEST(PacketText, EveryKindOfTime) {
  const Duration tenth = Duration::Milliseconds(100);
  const Duration two = Duration::Seconds(2);
  EXPECT_EQ(ToText({When::Kind::kAbsolute, two, two, {}}), "2");
  EXPECT_EQ(ToText({When::Kind::kRelative, tenth, tenth, {}}), "+.1");
  EXPECT_EQ(ToText({When::Kind::kRelative, tenth, tenth, two}), "+.1...2");
  EXPECT_EQ(ToText({When::Kind::kAny, {}, {}, {}}), "*");
  EXPECT_EQ(ToText({When::Kind::kAbsoluteRange, tenth, two, {}}), ".1~2");
  EXPECT_EQ(ToText({When::Kind::kRelativeRange, tenth, two, {}}), "+.1~+2");
}

TEST(PacketText, EveryOption) {
  const std::vector<std::pair<OptionSpec, const char*>> cases = {
      {option::Mss{1460}, "mss 1460"},
      {option::WindowScale{7}, "wscale 7"},
      {option::SackPermitted{}, "sackOK"},
      {option::Sack{{{1, 2}, {3, 4}}}, "sack 1:2 3:4"},
      {option::Timestamps{5, 6}, "TS val 5 ecr 6"},
      {option::Nop{}, "nop"},
      {option::Eol{}, "eol"},
      {option::FastOpen{false, {}}, "FO"},
      {option::FastOpen{true, {0xab, 0x01}}, "FOEXP ab01"},
      {option::Md5{{0, 255}}, "md5 00ff"},
      {option::AccEcn{0, {1, 2, 3}}, "ECN e0b 1 ceb 2 e1b 3"},
      {option::AccEcn{1, {1, 2}}, "ECN e1b 1 ceb 2"},
  };
  for (const auto& [option, text] : cases) EXPECT_EQ(ToText(option), text);
}

TEST(PacketText, ASynAck) {
  PacketSpec packet;
  packet.direction = Direction::kOutbound;
  auto& tcp = packet.transport.emplace<TcpSpec>();
  tcp.flags = tcpip::wire::TcpFlags(tcpip::wire::TcpFlags::kSyn |
                                    tcpip::wire::TcpFlags::kAck);
  tcp.ack = 1;
  tcp.window = 65535;
  tcp.options = {option::Mss{1460}, option::Nop{}, option::WindowScale{7}};
  EXPECT_EQ(ToText(packet),
            "> S. 0:0(0) ack 1 win 65535 <mss 1460,nop,wscale 7>");
}

TEST(PacketText, ACall) {
  CallSpec call;
  call.name = "read";
  call.args.resize(3);
  call.args[0].kind = Expr::Kind::kInteger;
  call.args[0].integer = 4;
  call.args[2].kind = Expr::Kind::kWord;
  call.args[2].text = "INT_MAX";
  call.result.kind = Expr::Kind::kInteger;
  call.result.integer = -1;
  call.error = "EAGAIN";
  call.note = "text";
  EXPECT_EQ(ToText(call), "read(4, ..., INT_MAX) = -1 EAGAIN (text)");
}

// --- What is printed is parsed back as the same, for random values.

class RandomSpecs {
 public:
  explicit RandomSpecs(uint64_t seed) : rng_(seed) {}

  PacketSpec Packet() {
    PacketSpec packet;
    packet.direction = Chance(2) ? Direction::kInbound : Direction::kOutbound;
    for (uint32_t n = Chance(4) ? 1 + Below(3) : 0; n > 0; --n) {
      packet.encapsulation.push_back(
          Word({"gre", "ipv4 1.1.1.1 > 2.2.2.2", "ipv6 fd3d::17d6 > 1::1",
                "mpls (label 0, tc 7, [S], ttl 255)"}));
    }
    packet.ip = Ip();
    switch (Below(4)) {
      case 0:
        packet.transport = UdpSpec{Ports(), Number<uint16_t>()};
        break;
      case 1:
        packet.transport = Icmp();
        break;
      default:
        packet.transport = Tcp(packet.direction);
    }
    return packet;
  }

  CallSpec Call() {
    CallSpec call;
    call.name = Word({"read", "epoll_wait", "_x9"});
    for (uint32_t n = Below(5); n > 0; --n) call.args.push_back(Expression(4));
    call.result = Expression(2);
    const bool failed =
        call.result.kind == Expr::Kind::kInteger && call.result.integer < 0;
    if (failed) call.error = Word({"EAGAIN", "EINPROGRESS"});
    if (Chance(2)) call.note = Word({"Resource busy", "it's (so)", "// no"});
    return call;
  }

  When Time(bool range) {
    When when;
    when.kind = range ? When::Kind{static_cast<uint8_t>(2 + Below(3))}
                      : When::Kind{static_cast<uint8_t>(Below(2))};
    if (when.kind == When::Kind::kAny) return when;
    when.from = when.until = Span();
    if (range) when.until = when.from + Span();
    if (!range && Chance(2)) when.returns = Span();
    return when;
  }

 private:
  uint32_t Below(uint32_t bound) { return rng_.Below(bound); }
  bool Chance(uint32_t one_in) { return Below(one_in) == 0; }

  // Small, or of any size.
  template <class T>
  T Number() {
    return static_cast<T>(Chance(2) ? Below(3) : rng_.Next());
  }
  template <class T>
  std::optional<T> Maybe() {
    if (Chance(2)) return std::nullopt;
    return Number<T>();
  }
  std::string Word(std::vector<const char*> words) {
    return words[Below(static_cast<uint32_t>(words.size()))];
  }
  std::vector<uint8_t> Bytes(uint32_t count) {
    std::vector<uint8_t> bytes(count);
    for (uint8_t& byte : bytes) byte = Number<uint8_t>();
    return bytes;
  }
  Duration Span() {
    return Chance(2) ? Duration::Milliseconds(Below(3))
                     : Duration::Nanoseconds(static_cast<int64_t>(
                           rng_.Next() % 1'000'000'000'000'000));
  }

  IpSpec Ip() {
    IpSpec ip;
    if (Chance(2)) return ip;
    if (Chance(2)) ip.ecn = IpSpec::Ecn{static_cast<uint8_t>(Below(5))};
    ip.tos = Maybe<uint8_t>();
    ip.ttl = Maybe<uint8_t>();
    if (Chance(2)) ip.flow_label = Below(1 << 20);
    return ip;
  }
  std::optional<PortsSpec> Ports() {
    if (Chance(2)) return std::nullopt;
    return PortsSpec{Number<uint16_t>(), Number<uint16_t>()};
  }

  template <class Spec>
  void Sequence(Spec& spec) {
    spec.start = Number<uint32_t>();
    spec.length = Number<uint16_t>();
    spec.end = spec.start + spec.length;
  }

  TcpSpec Tcp(Direction direction) {
    using tcpip::wire::TcpFlags;
    TcpSpec tcp;
    tcp.ports = Ports();
    tcp.flags = TcpFlags(Number<uint8_t>());
    if (Chance(3)) {
      tcp.ace = static_cast<uint8_t>(Below(8));
      tcp.flags = tcp.flags.Without(TcpFlags::kEce | TcpFlags::kCwr);
    }
    Sequence(tcp);
    tcp.ack = Maybe<uint32_t>();
    tcp.window = direction == Direction::kInbound ? Number<uint16_t>()
                                                  : Maybe<uint16_t>();
    tcp.urgent = Maybe<uint16_t>();
    if (direction == Direction::kOutbound && Chance(4)) {
      tcp.options.reset();
    } else if (Chance(2)) {
      tcp.options = Options();
    }
    return tcp;
  }

  // Each with the padding that makes it whole words.
  std::vector<OptionSpec> Options() {
    std::vector<OptionSpec> options;
    const auto add = [&](OptionSpec option, uint32_t size) {
      options.push_back(std::move(option));
      for (; size % 4 != 0; ++size) {
        if (Chance(2)) {
          options.push_back(option::Nop());
        } else {
          options.push_back(option::Eol());
        }
      }
    };
    if (Chance(2)) add(option::Mss{Number<uint16_t>()}, 4);
    if (Chance(2)) add(option::WindowScale{Number<uint8_t>()}, 3);
    if (Chance(2)) add(option::SackPermitted(), 2);
    switch (Below(5)) {
      case 0: {
        option::Sack sack;
        for (uint32_t n = 1 + Below(2); n > 0; --n) {
          sack.blocks.emplace_back(Number<uint32_t>(), Number<uint32_t>());
        }
        const auto size = static_cast<uint32_t>(2 + 8 * sack.blocks.size());
        add(sack, size);
        break;
      }
      case 1:
        add(option::Timestamps{Number<uint32_t>(), Number<uint32_t>()}, 10);
        break;
      case 2: {
        const uint32_t size = Below(17);
        const bool experimental = Chance(2);
        add(option::FastOpen{experimental, Bytes(size)},
            size + (experimental ? 4 : 2));
        break;
      }
      case 3:
        add(option::Md5{Bytes(16)}, 18);
        break;
      default: {
        option::AccEcn acc_ecn;
        for (uint32_t n = Below(4); n > 0; --n) {
          acc_ecn.counters.push_back(Below(1 << 24));
        }
        acc_ecn.order = acc_ecn.counters.empty() ? 0 : Below(2);
        const auto size =
            static_cast<uint32_t>(2 + 3 * acc_ecn.counters.size());
        add(acc_ecn, size);
      }
    }
    return options;
  }

  IcmpSpec Icmp() {
    IcmpSpec icmp;
    icmp.type = Word({"unreachable", "echo_request", "3"});
    if (Chance(2)) icmp.code = Word({"frag_needed", "13"});
    icmp.mtu = Maybe<uint32_t>();
    icmp.id = Maybe<uint16_t>();
    switch (Below(4)) {
      case 0:
        Sequence(icmp.echoed.emplace<EchoedTcp>());
        break;
      case 1:
        icmp.echoed = EchoedUdp{Number<uint16_t>()};
        break;
      case 2:
        icmp.echoed = EchoedRaw{Number<uint16_t>()};
        break;
      default:
        break;
    }
    return icmp;
  }

  Expr Expression(int depth) {
    Expr expr;
    expr.kind = Expr::Kind{static_cast<uint8_t>(Below(depth > 0 ? 8 : 4))};
    switch (expr.kind) {
      case Expr::Kind::kEllipsis:
        break;
      case Expr::Kind::kInteger:
        expr.integer = Number<int64_t>();
        break;
      case Expr::Kind::kWord:
        expr.text = Word({"AF_INET", "POLLIN", "x"});
        break;
      case Expr::Kind::kString:
        for (const uint8_t byte : Bytes(Below(9))) {
          expr.text += static_cast<char>(byte);
        }
        break;
      case Expr::Kind::kOr:  // of two or more, none of which is one itself
        while (expr.items.size() < 2 || Chance(3)) {
          Expr item = Expression(depth - 1);
          if (item.kind != Expr::Kind::kOr) expr.items.push_back(item);
        }
        break;
      case Expr::Kind::kApply:
        expr.text = Word({"htons", "inet_addr"});
        [[fallthrough]];
      case Expr::Kind::kArray:
        while (Chance(2)) expr.items.push_back(Expression(depth - 1));
        break;
      case Expr::Kind::kStruct:
        while (!Chance(3)) {
          expr.fields.emplace_back(Word({"fd", "events", ""}),
                                   Expression(depth - 1));
        }
        break;
    }
    return expr;
  }

  tcpip::SeededRng rng_;
};

// The second event of a script, after one at time 0.
Event ParsedBack(const std::string& text) {
  const auto script = ParseScript("0 `x`\n" + text, "random");
  EXPECT_TRUE(script.ok()) << text << "\n" << script.status();
  if (!script.ok() || script->events.size() != 2) return Event();
  return script->events[1];
}

constexpr uint64_t kSeeds = 3000;

TEST(PacketText, RandomPacketsComeBack) {
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    RandomSpecs random(seed);
    const PacketSpec packet = random.Packet();
    const When when =
        random.Time(packet.direction == Direction::kOutbound && seed % 2 == 0);
    When no_return = when;
    no_return.returns.reset();
    const std::string text = ToText(no_return) + " " + ToText(packet);
    const Event event = ParsedBack(text);
    EXPECT_EQ(event.when, no_return) << "seed " << seed << ": " << text;
    ASSERT_TRUE(std::holds_alternative<PacketSpec>(event.action)) << text;
    EXPECT_EQ(std::get<PacketSpec>(event.action), packet)
        << "seed " << seed << ": " << text;
  }
}

TEST(PacketText, RandomCallsComeBack) {
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    RandomSpecs random(seed);
    const CallSpec call = random.Call();
    const When when = random.Time(false);
    const std::string text = ToText(when) + " " + ToText(call);
    const Event event = ParsedBack(text);
    EXPECT_EQ(event.when, when) << "seed " << seed << ": " << text;
    ASSERT_TRUE(std::holds_alternative<CallSpec>(event.action)) << text;
    EXPECT_EQ(std::get<CallSpec>(event.action), call)
        << "seed " << seed << ": " << text;
  }
}

}  // namespace
}  // namespace conformance
