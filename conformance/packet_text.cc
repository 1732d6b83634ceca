#include "conformance/packet_text.h"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <variant>
#include <vector>

#include "conformance/escapes.h"

namespace conformance {
namespace {

std::string Hex(const std::vector<uint8_t>& bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const uint8_t byte : bytes) {
    (text += kDigits[byte / 16]) += kDigits[byte % 16];
  }
  return text;
}

// " name 5" where there is a value.
template <class T>
std::string Optional(const char* name, const std::optional<T>& value) {
  return value ? name + std::to_string(*value) : "";
}

template <class Items>
std::string Joined(const Items& items, const char* between) {
  std::string text;
  for (const auto& item : items) {
    if (&item != &items.front()) text += between;
    text += ToText(item);
  }
  return text;
}

// --- Options.

struct OptionText {
  std::string operator()(const option::Mss& mss) const {
    return "mss " + std::to_string(mss.bytes);
  }
  std::string operator()(const option::WindowScale& scale) const {
    return "wscale " + std::to_string(scale.shift);
  }
  std::string operator()(const option::SackPermitted&) const {
    return "sackOK";
  }
  std::string operator()(const option::Sack& sack) const {
    std::string text = "sack";
    for (const auto& [left, right] : sack.blocks) {
      text += " " + std::to_string(left) + ":" + std::to_string(right);
    }
    return text;
  }
  std::string operator()(const option::Timestamps& timestamps) const {
    return "TS val " + std::to_string(timestamps.val) + " ecr " +
           std::to_string(timestamps.ecr);
  }
  std::string operator()(const option::Nop&) const { return "nop"; }
  std::string operator()(const option::Eol&) const { return "eol"; }
  std::string operator()(const option::FastOpen& fast_open) const {
    const char* const name = fast_open.experimental ? "FOEXP" : "FO";
    if (fast_open.cookie.empty()) return name;
    return std::string(name) + " " + Hex(fast_open.cookie);
  }
  std::string operator()(const option::Md5& md5) const {
    return "md5 " + Hex(md5.digest);
  }
  std::string operator()(const option::AccEcn& acc_ecn) const {
    constexpr const char* kNames[][3] = {{" e0b ", " ceb ", " e1b "},
                                         {" e1b ", " ceb ", " e0b "}};
    std::string text = "ECN";
    for (size_t i = 0; i < acc_ecn.counters.size() && i < 3; ++i) {
      text += kNames[acc_ecn.order == 0 ? 0 : 1][i];
      text += std::to_string(acc_ecn.counters[i]);
    }
    return text;
  }
  // Scripts have no word for it: this one is for eyes only.
  std::string operator()(const option::Other& other) const {
    return "option " + Hex(other.bytes);
  }
};

// --- Packets.

std::string IpText(const IpSpec& ip) {
  constexpr const char* kEcn[] = {"noecn", "ect1", "ect0", "ce", "ect01"};
  std::string text;
  if (ip.ecn) text += std::string(",") + kEcn[static_cast<size_t>(*ip.ecn)];
  text += Optional(",tos ", ip.tos);
  text += Optional(",ttl ", ip.ttl);
  text += Optional(",flowlabel ", ip.flow_label);
  return text.empty() ? "" : "[" + text.substr(1) + "] ";
}

std::string PortsText(const std::optional<PortsSpec>& ports) {
  if (!ports) return "";
  return std::to_string(ports->source) + " > " +
         std::to_string(ports->destination) + " ";
}

template <class Spec>
std::string SequenceText(const Spec& spec) {
  return std::to_string(spec.start) + ":" + std::to_string(spec.end) + "(" +
         std::to_string(spec.length) + ")";
}

std::string LengthText(uint16_t length) {
  return "(" + std::to_string(length) + ")";
}

struct TransportText {
  std::string operator()(const TcpSpec& tcp) const {
    std::string text = PortsText(tcp.ports) + tcp.flags.ToString();
    text += Optional("", tcp.ace);
    text += " " + SequenceText(tcp);
    text += Optional(" ack ", tcp.ack);
    text += Optional(" win ", tcp.window);
    text += Optional(" urg ", tcp.urgent);
    if (!tcp.options) return text + " <...>";
    if (tcp.options->empty()) return text;
    return text + " <" + Joined(*tcp.options, ",") + ">";
  }
  std::string operator()(const UdpSpec& udp) const {
    return "udp " + PortsText(udp.ports) + LengthText(udp.length);
  }
  std::string operator()(const IcmpSpec& icmp) const {
    std::string text = "icmp " + icmp.type;
    if (!icmp.code.empty()) text += " " + icmp.code;
    text += Optional(" mtu ", icmp.mtu);
    text += Optional(" id ", icmp.id);
    const std::string quoted = EchoedText(icmp.echoed);
    return quoted.empty() ? text : text + " " + quoted;
  }
};

struct QuoteText {
  std::string operator()(std::monostate) const { return ""; }
  std::string operator()(const EchoedTcp& tcp) const {
    return "[" + SequenceText(tcp) + "]";
  }
  std::string operator()(const EchoedUdp& udp) const {
    return "[udp " + LengthText(udp.length) + "]";
  }
  std::string operator()(const EchoedRaw& raw) const {
    return "[raw " + LengthText(raw.length) + "]";
  }
};

// --- Expressions.

std::string FieldsText(const Expr& expr) {
  std::string text;
  for (const auto& [name, value] : expr.fields) {
    if (!text.empty()) text += ", ";
    if (!name.empty()) text += name + "=";
    text += ToText(value);
  }
  return text;
}

}  // namespace

std::string ToText(const OptionSpec& option) {
  return std::visit(OptionText(), option);
}

std::string ToText(const PacketSpec& packet) {
  std::string text = packet.direction == Direction::kInbound ? "< " : "> ";
  for (const std::string& header : packet.encapsulation) text += header + ": ";
  text += IpText(packet.ip);
  return text + std::visit(TransportText(), packet.transport);
}

std::string ToText(const Expr& expr) {
  switch (expr.kind) {
    case Expr::Kind::kEllipsis:
      return "...";
    case Expr::Kind::kInteger:
      return std::to_string(expr.integer);
    case Expr::Kind::kWord:
      return expr.text;
    case Expr::Kind::kString:
      return "\"" + Escape(expr.text) + "\"";
    case Expr::Kind::kOr:
      return Joined(expr.items, "|");
    case Expr::Kind::kArray:
      return "[" + Joined(expr.items, ", ") + "]";
    case Expr::Kind::kStruct:
      return "{" + FieldsText(expr) + "}";
    case Expr::Kind::kApply:
      return expr.text + "(" + Joined(expr.items, ", ") + ")";
  }
  return "";
}

std::string EchoedText(const Echoed& echoed) {
  return std::visit(QuoteText(), echoed);
}

std::string ToText(const CallSpec& call) {
  std::string text =
      call.name + "(" + Joined(call.args, ", ") + ") = " + ToText(call.result);
  if (!call.error.empty()) text += " " + call.error;
  if (!call.note.empty()) text += " (" + call.note + ")";
  return text;
}

std::string ToText(tcpip::Duration duration) {
  constexpr uint64_t kSecond = 1'000'000'000;
  const int64_t signed_ns = duration.nanoseconds();
  const bool negative = signed_ns < 0;
  const auto bits = static_cast<uint64_t>(signed_ns);
  const uint64_t ns = negative ? -bits : bits;
  std::string text = negative ? "-" : "";
  if (ns >= kSecond || ns == 0) text += std::to_string(ns / kSecond);
  if (ns % kSecond == 0) return text;
  // A leading one keeps the zeros behind the point.
  std::string fraction = std::to_string(kSecond + ns % kSecond);
  fraction[0] = '.';
  fraction.erase(fraction.find_last_not_of('0') + 1);
  return text + fraction;
}

std::string ToText(const When& when) {
  const auto returns = [&when] {
    return when.returns ? "..." + ToText(*when.returns) : "";
  };
  switch (when.kind) {
    case When::Kind::kAbsolute:
      return ToText(when.from) + returns();
    case When::Kind::kRelative:
      return "+" + ToText(when.from) + returns();
    case When::Kind::kAny:
      return "*";
    case When::Kind::kAbsoluteRange:
      return ToText(when.from) + "~" + ToText(when.until);
    case When::Kind::kRelativeRange:
      return "+" + ToText(when.from) + "~+" + ToText(when.until);
  }
  return "";
}

}  // namespace conformance
