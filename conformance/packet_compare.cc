#include "conformance/packet_compare.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "conformance/packet_text.h"
#include "tcpip/wire/tcp.h"

namespace conformance {
namespace {

using Options = std::vector<OptionSpec>;
using tcpip::wire::TcpFlags;

// Collects what differs.
class Report {
 public:
  template <typename T>
  void Check(const char* what, const T& expected, const T& seen) {
    if (expected == seen) return;
    Say(what, absl::StrCat(seen), absl::StrCat(expected));
  }
  // What is not expected is not looked at.
  template <typename T>
  void CheckIfSet(const char* what, const std::optional<T>& expected,
                  const std::optional<T>& seen) {
    if (!expected) return;
    if (seen) {
      Check(what, *expected, *seen);
    } else {
      Say(what, "none", absl::StrCat(*expected));
    }
  }
  void Say(const std::string& what, const std::string& seen,
           const std::string& expected) {
    differences_.push_back(
        absl::StrCat(what, " is ", seen, " instead of ", expected));
  }
  std::string Text() const { return absl::StrJoin(differences_, ", "); }

 private:
  std::vector<std::string> differences_;
};

const char* EcnName(IpSpec::Ecn ecn) {
  switch (ecn) {
    case IpSpec::Ecn::kNone:
      return "noecn";
    case IpSpec::Ecn::kEct1:
      return "ect1";
    case IpSpec::Ecn::kEct0:
      return "ect0";
    case IpSpec::Ecn::kCe:
      return "ce";
    case IpSpec::Ecn::kEither:
      return "ect01";
  }
  return "?";
}

bool IsEcn(IpSpec::Ecn expected, std::optional<IpSpec::Ecn> seen) {
  if (expected == IpSpec::Ecn::kEither) {
    return seen == IpSpec::Ecn::kEct0 || seen == IpSpec::Ecn::kEct1;
  }
  return seen == expected;
}

void CompareIp(const IpSpec& expected, const IpSpec& seen, Report& report) {
  if (expected.ecn && !IsEcn(*expected.ecn, seen.ecn)) {
    report.Say("ECN", seen.ecn ? EcnName(*seen.ecn) : "none",
               EcnName(*expected.ecn));
  }
  report.CheckIfSet("tos", expected.tos, seen.tos);
  report.CheckIfSet("ttl", expected.ttl, seen.ttl);
  report.CheckIfSet("flow label", expected.flow_label, seen.flow_label);
}

bool IsPadding(const OptionSpec& option) {
  return std::holds_alternative<option::Nop>(option) ||
         std::holds_alternative<option::Eol>(option);
}

Options Normal(Options options, const CompareRules& rules) {
  if (!rules.check_timestamps) {
    for (OptionSpec& option : options) {
      if (auto* times = std::get_if<option::Timestamps>(&option)) *times = {};
    }
  }
  if (rules.options_as_set) {
    std::erase_if(options, IsPadding);
    std::sort(options.begin(), options.end(),
              [](const OptionSpec& a, const OptionSpec& b) {
                return ToText(a) < ToText(b);
              });
  }
  return options;
}

std::string ListText(const Options& options) {
  return absl::StrCat(
      "<",
      absl::StrJoin(options, ",",
                    [](std::string* out, const OptionSpec& option) {
                      absl::StrAppend(out, ToText(option));
                    }),
      ">");
}

void CompareOptions(const TcpSpec& expected, const TcpSpec& seen,
                    const CompareRules& rules, Report& report) {
  if (!expected.options) return;
  const Options& have = seen.options.value_or(Options());
  if (Normal(*expected.options, rules) == Normal(have, rules)) return;
  report.Say("options", ListText(have), ListText(*expected.options));
}

// FSRPUEW as letters, and the three bits of AccECN as a digit where expected.
void CompareFlags(const TcpSpec& expected, const TcpSpec& seen,
                  Report& report) {
  constexpr int kAceBits = TcpFlags::kEce | TcpFlags::kCwr;
  if (!expected.ace) {
    if (expected.flags != seen.flags) {
      report.Say("flags", seen.flags.ToString(), expected.flags.ToString());
    }
    return;
  }
  const int ace = (seen.flags.ece() ? 1 : 0) | (seen.flags.cwr() ? 2 : 0);
  report.Check("ACE", int{*expected.ace}, ace);
  if (expected.flags.Without(kAceBits) != seen.flags.Without(kAceBits)) {
    report.Say("flags", seen.flags.Without(kAceBits).ToString(),
               expected.flags.Without(kAceBits).ToString());
  }
}

void ComparePorts(const std::optional<PortsSpec>& expected,
                  const std::optional<PortsSpec>& seen, Report& report) {
  if (!expected) return;
  const PortsSpec have = seen.value_or(PortsSpec());
  report.Check("source port", expected->source, have.source);
  report.Check("destination port", expected->destination, have.destination);
}

void CompareTcp(const TcpSpec& expected, const TcpSpec& seen,
                const CompareRules& rules, Report& report) {
  CompareFlags(expected, seen, report);
  report.Check("seq", expected.start, seen.start);
  report.Check("length", expected.length, seen.length);
  if (expected.ack.has_value() != seen.ack.has_value()) {
    report.Say("ack", seen.ack ? absl::StrCat(*seen.ack) : "none",
               expected.ack ? absl::StrCat(*expected.ack) : "none");
  }
  if (seen.ack) report.CheckIfSet("ack", expected.ack, seen.ack);
  if (!rules.ignore_windows) {
    report.CheckIfSet("win", expected.window, seen.window);
  }
  report.CheckIfSet("urg", expected.urgent, seen.urgent);
  ComparePorts(expected.ports, seen.ports, report);
  CompareOptions(expected, seen, rules, report);
}

void CompareIcmp(const IcmpSpec& expected, const IcmpSpec& seen,
                 Report& report) {
  report.Check("type", expected.type, seen.type);
  report.Check("code", expected.code, seen.code);
  report.CheckIfSet("mtu", expected.mtu, seen.mtu);
  report.CheckIfSet("id", expected.id, seen.id);
  const bool any = std::holds_alternative<std::monostate>(expected.echoed);
  if (any || expected.echoed == seen.echoed) return;
  const std::string have = EchoedText(seen.echoed);
  report.Say("quote", have.empty() ? "none" : have,
             EchoedText(expected.echoed));
}

const char* KindOf(const PacketSpec& packet) {
  constexpr const char* kNames[] = {"TCP", "UDP", "ICMP"};
  return kNames[packet.transport.index()];
}

}  // namespace

std::string Difference(const PacketSpec& expected, const PacketSpec& seen,
                       const CompareRules& rules) {
  Report report;
  if (expected.transport.index() != seen.transport.index()) {
    report.Say("packet", KindOf(seen), KindOf(expected));
    return report.Text();
  }
  CompareIp(expected.ip, seen.ip, report);
  if (const auto* tcp = std::get_if<TcpSpec>(&expected.transport)) {
    CompareTcp(*tcp, std::get<TcpSpec>(seen.transport), rules, report);
  } else if (const auto* udp = std::get_if<UdpSpec>(&expected.transport)) {
    const auto& have = std::get<UdpSpec>(seen.transport);
    ComparePorts(udp->ports, have.ports, report);
    report.Check("length", udp->length, have.length);
  } else {
    CompareIcmp(std::get<IcmpSpec>(expected.transport),
                std::get<IcmpSpec>(seen.transport), report);
  }
  return report.Text();
}

PacketSpec Mentioned(const PacketSpec& expected, PacketSpec seen) {
  if (!expected.ip.ecn) seen.ip.ecn.reset();
  if (!expected.ip.tos) seen.ip.tos.reset();
  if (!expected.ip.ttl) seen.ip.ttl.reset();
  if (!expected.ip.flow_label) seen.ip.flow_label.reset();
  if (const auto* want = std::get_if<IcmpSpec>(&expected.transport);
      want != nullptr && want->echoed.index() == 0) {
    auto* have = std::get_if<IcmpSpec>(&seen.transport);
    if (have != nullptr) have->echoed = std::monostate();
  }
  if (const auto* want = std::get_if<UdpSpec>(&expected.transport);
      want != nullptr && !want->ports) {
    auto* have = std::get_if<UdpSpec>(&seen.transport);
    if (have != nullptr) have->ports.reset();
  }
  const auto* want = std::get_if<TcpSpec>(&expected.transport);
  auto* have = std::get_if<TcpSpec>(&seen.transport);
  if (want == nullptr || have == nullptr) return seen;
  if (!want->ports) have->ports.reset();
  if (!want->window) have->window.reset();
  if (!want->options) have->options.reset();
  return seen;
}

bool Join(PacketSpec& seen, const PacketSpec& next, uint16_t piece) {
  auto* tcp = std::get_if<TcpSpec>(&seen.transport);
  const auto* more = std::get_if<TcpSpec>(&next.transport);
  constexpr int kMayDiffer = TcpFlags::kFin | TcpFlags::kPsh | TcpFlags::kCwr;
  if (tcp == nullptr || more == nullptr || tcp->length == 0 ||
      more->start != tcp->end || more->length == 0 || more->length > piece ||
      tcp->length % piece != 0 || tcp->flags.fin() ||
      tcp->length + more->length > UINT16_MAX || seen.ip != next.ip ||
      tcp->ack != more->ack || tcp->window != more->window ||
      tcp->options != more->options ||
      tcp->flags.Without(kMayDiffer) != more->flags.Without(kMayDiffer)) {
    return false;
  }
  tcp->end = more->end;
  tcp->length = static_cast<uint16_t>(tcp->length + more->length);
  tcp->flags = tcp->flags.With(more->flags.bits());
  return true;
}

}  // namespace conformance
