#include "conformance/mutate.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "tcpip/base/time.h"
#include "tcpip/wire/tcp.h"

namespace conformance {
namespace {

using tcpip::Duration;
using tcpip::wire::TcpFlags;

class Collector {
 public:
  explicit Collector(const Script& script) : script_(script) {}

  // A copy in which `change` was done to event `index`.
  void Add(size_t index, const std::string& what,
           const std::function<void(Event&)>& change) {
    AddEvents(index, what, [index, &change](std::vector<Event>& events) {
      change(events[index]);
    });
  }
  void AddTcp(size_t index, const std::string& what,
              const std::function<void(TcpSpec&)>& change) {
    Add(index, what, [&change](Event& event) {
      change(std::get<TcpSpec>(std::get<PacketSpec>(event.action).transport));
    });
  }
  // A copy of which the events were changed.
  void AddEvents(size_t index, const std::string& what,
                 const std::function<void(std::vector<Event>&)>& change) {
    Mutant mutant{absl::StrCat("line ", script_.events[index].line, ": ", what),
                  script_};
    change(mutant.script.events);
    mutants_.push_back(std::move(mutant));
  }
  std::vector<Mutant> Take() { return std::move(mutants_); }

 private:
  const Script& script_;
  std::vector<Mutant> mutants_;
};

void FlipFlag(TcpSpec& tcp, int bit) {
  tcp.flags = (tcp.flags.bits() & bit) != 0 ? tcp.flags.Without(bit)
                                            : tcp.flags.With(bit);
}

// Another value of the same option, which takes as many bytes.
void ChangeOption(OptionSpec& option) {
  if (auto* mss = std::get_if<option::Mss>(&option)) {
    ++mss->bytes;
  } else if (auto* scale = std::get_if<option::WindowScale>(&option)) {
    ++scale->shift;
  } else if (auto* sack = std::get_if<option::Sack>(&option)) {
    ++sack->blocks.front().first;
  } else if (auto* times = std::get_if<option::Timestamps>(&option)) {
    ++times->ecr;
  } else if (std::holds_alternative<option::Nop>(option)) {
    option = option::Eol{};
  } else {
    option = option::Nop{};
  }
}

// The first TS val of a host, which is in its SYN, is the script's own choice.
void AddTimestampMutants(size_t index, const TcpSpec& tcp, Collector& to) {
  if (tcp.flags.syn()) return;
  for (size_t i = 0; i < tcp.options->size(); ++i) {
    if (!std::holds_alternative<option::Timestamps>((*tcp.options)[i])) {
      continue;
    }
    to.AddTcp(index, "TS val", [i](TcpSpec& changed) {
      ++std::get<option::Timestamps>((*changed.options)[i]).val;
    });
  }
}

void AddTcpMutants(size_t index, const TcpSpec& tcp, Collector& to) {
  constexpr int kBits[] = {TcpFlags::kFin, TcpFlags::kSyn, TcpFlags::kRst,
                           TcpFlags::kPsh, TcpFlags::kUrg, TcpFlags::kEce,
                           TcpFlags::kCwr};
  for (const int bit : kBits) {
    to.AddTcp(index, absl::StrCat("flag ", TcpFlags(bit).ToString()),
              [bit](TcpSpec& changed) { FlipFlag(changed, bit); });
  }
  // That of a SYN is the script's own choice.
  if (!tcp.flags.syn()) {
    to.AddTcp(index, "seq", [](TcpSpec& changed) {
      ++changed.start;
      ++changed.end;
    });
  }
  to.AddTcp(index, "length", [](TcpSpec& changed) {
    ++changed.length;
    ++changed.end;
  });
  if (tcp.ack) {
    to.AddTcp(index, "ack", [](TcpSpec& changed) { ++*changed.ack; });
  }
  if (tcp.ports) {
    to.AddTcp(index, "ports",
              [](TcpSpec& changed) { ++changed.ports->source; });
  }
  if (tcp.urgent) {
    to.AddTcp(index, "urg", [](TcpSpec& changed) { ++*changed.urgent; });
  }
  if (tcp.window) {
    to.AddTcp(index, "win", [](TcpSpec& changed) { ++*changed.window; });
  }
  if (!tcp.options) return;
  AddTimestampMutants(index, tcp, to);
  for (size_t i = 0; i < tcp.options->size(); ++i) {
    to.AddTcp(index, absl::StrCat("option ", i + 1),
              [i](TcpSpec& changed) { ChangeOption((*changed.options)[i]); });
    to.AddTcp(index, absl::StrCat("no option ", i + 1), [i](TcpSpec& changed) {
      changed.options->erase(changed.options->begin() +
                             static_cast<ptrdiff_t>(i));
    });
  }
}

void AddIcmpMutants(size_t index, const IcmpSpec& icmp, Collector& to) {
  const auto add = [index, &to](const char* what,
                                const std::function<void(IcmpSpec&)>& change) {
    to.Add(index, what, [&change](Event& event) {
      change(std::get<IcmpSpec>(std::get<PacketSpec>(event.action).transport));
    });
  };
  add("type", [](IcmpSpec& changed) { changed.type = "source_quench"; });
  add("code", [](IcmpSpec& changed) { changed.code = "15"; });
  add("quote", [](IcmpSpec& changed) { changed.echoed = EchoedRaw{1}; });
  if (icmp.mtu) add("mtu", [](IcmpSpec& changed) { ++*changed.mtu; });
  if (icmp.id) add("id", [](IcmpSpec& changed) { ++*changed.id; });
}

void AddIpMutants(size_t index, const IpSpec& ip, Collector& to) {
  const auto add = [index, &to](const char* what,
                                const std::function<void(IpSpec&)>& change) {
    to.Add(index, what, [&change](Event& event) {
      change(std::get<PacketSpec>(event.action).ip);
    });
  };
  if (ip.ecn) {
    add("ecn", [](IpSpec& changed) {
      changed.ecn = changed.ecn == IpSpec::Ecn::kCe ? IpSpec::Ecn::kNone
                                                    : IpSpec::Ecn::kCe;
    });
  }
  if (ip.tos) add("tos", [](IpSpec& changed) { ++*changed.tos; });
  if (ip.ttl) add("ttl", [](IpSpec& changed) { ++*changed.ttl; });
  if (ip.flow_label) {
    add("flowlabel", [](IpSpec& changed) { ++*changed.flow_label; });
  }
}

void AddTransportMutants(size_t index, const PacketSpec& packet,
                         Collector& to) {
  if (const auto* tcp = std::get_if<TcpSpec>(&packet.transport)) {
    AddTcpMutants(index, *tcp, to);
  } else if (const auto* icmp = std::get_if<IcmpSpec>(&packet.transport)) {
    AddIcmpMutants(index, *icmp, to);
  } else {
    to.Add(index, "length", [](Event& event) {
      auto& changed = std::get<PacketSpec>(event.action);
      ++std::get<UdpSpec>(changed.transport).length;
    });
  }
}

void AddPacketMutants(size_t index, const Event& event,
                      const PacketSpec& packet, Collector& to) {
  if (packet.direction == Direction::kInbound) return;
  const bool at_once = event.when.kind == When::Kind::kRelative &&
                       event.when.from == Duration::Zero();
  // One that comes later might come after the end of the script.
  if (at_once) {
    to.AddEvents(index, "left out", [index](std::vector<Event>& events) {
      events.erase(events.begin() + static_cast<ptrdiff_t>(index));
    });
    to.AddEvents(index, "twice", [index](std::vector<Event>& events) {
      const Event copy = events[index];
      events.insert(events.begin() + static_cast<ptrdiff_t>(index), copy);
    });
  }
  if (event.when.from == event.when.until &&
      event.when.kind != When::Kind::kAny) {
    to.Add(index, "time", [](Event& changed) {
      changed.when.from += Duration::Milliseconds(1);
      changed.when.until += Duration::Milliseconds(1);
    });
  }
  AddIpMutants(index, packet.ip, to);
  AddTransportMutants(index, packet, to);
}

// The arguments in which something comes out, but for some fields of theirs,
// which go in.
struct OutputPlace {
  std::string_view call;
  size_t argument;
  std::array<std::string_view, 2> inputs = {};
};
constexpr OutputPlace kOutputPlaces[] = {
    {"getsockopt", 3}, {"getsockopt", 4},
    {"ioctl", 2},      {"poll", 0, {"fd", "events"}},
    {"epoll_wait", 1}, {"recvmsg", 1, {"msg_name", "msg_iov"}}};

// Another value of one leaf of `expr`: the `which`th in order, counted down.
// False when it has not so many.
bool ChangeLeaf(const OutputPlace& place, Expr& expr, size_t& which) {
  const bool is_leaf =
      expr.kind == Expr::Kind::kInteger || expr.kind == Expr::Kind::kWord ||
      expr.kind == Expr::Kind::kOr || expr.kind == Expr::Kind::kString;
  if (is_leaf) {
    if (which-- > 0) return false;
    const int64_t integer =
        expr.kind == Expr::Kind::kInteger ? expr.integer + 1 : 0x4000'0001;
    expr = Expr();
    expr.kind = Expr::Kind::kInteger;
    expr.integer = integer;
    return true;
  }
  for (Expr& item : expr.items) {
    if (ChangeLeaf(place, item, which)) return true;
  }
  for (auto& [name, value] : expr.fields) {
    const bool goes_in = std::find(place.inputs.begin(), place.inputs.end(),
                                   name) != place.inputs.end();
    if (!goes_in && ChangeLeaf(place, value, which)) return true;
  }
  return false;
}

void AddOutputMutants(size_t index, const CallSpec& call, Collector& to) {
  if (!call.error.empty()) return;
  for (const OutputPlace& place : kOutputPlaces) {
    if (place.call != call.name || place.argument >= call.args.size()) continue;
    for (size_t i = 0;; ++i) {
      Expr changed = call.args[place.argument];
      size_t which = i;
      if (!ChangeLeaf(place, changed, which)) break;
      to.Add(index, absl::StrCat("argument ", place.argument + 1, ", ", i + 1),
             [&](Event& event) {
               std::get<CallSpec>(event.action).args[place.argument] = changed;
             });
    }
  }
}

void AddCallMutants(size_t index, const Event& event, const CallSpec& call,
                    Collector& to) {
  const bool makes_label = call.name == "socket" || call.name == "accept" ||
                           call.name == "accept4" ||
                           call.name == "epoll_create";
  if (call.result.kind == Expr::Kind::kInteger && !makes_label) {
    to.Add(index, "result", [](Event& changed) {
      ++std::get<CallSpec>(changed.action).result.integer;
    });
  }
  if (!call.error.empty()) {
    to.Add(index, "error", [](Event& changed) {
      std::get<CallSpec>(changed.action).error = "EXDEV";
    });
  }
  if (event.when.returns) {
    to.Add(index, "time of return", [](Event& changed) {
      *changed.when.returns += Duration::Milliseconds(1);
    });
  }
  AddOutputMutants(index, call, to);
}

}  // namespace

std::vector<Mutant> MutantsOf(const Script& script) {
  Collector collector(script);
  for (size_t i = 0; i < script.events.size(); ++i) {
    const Event& event = script.events[i];
    if (const auto* packet = std::get_if<PacketSpec>(&event.action)) {
      AddPacketMutants(i, event, *packet, collector);
    } else if (const auto* call = std::get_if<CallSpec>(&event.action)) {
      AddCallMutants(i, event, *call, collector);
    }
  }
  return collector.Take();
}

}  // namespace conformance
