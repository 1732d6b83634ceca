#include "conformance/mutate.h"

#include <cstddef>
#include <functional>
#include <optional>
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
    Mutant mutant{absl::StrCat("line ", script_.events[index].line, ": ", what),
                  script_};
    change(mutant.script.events[index]);
    mutants_.push_back(std::move(mutant));
  }
  void AddTcp(size_t index, const std::string& what,
              const std::function<void(TcpSpec&)>& change) {
    Add(index, what, [&change](Event& event) {
      change(std::get<TcpSpec>(std::get<PacketSpec>(event.action).transport));
    });
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
  if (tcp.window) {
    to.AddTcp(index, "win", [](TcpSpec& changed) { ++*changed.window; });
  }
  if (!tcp.options) return;
  for (size_t i = 0; i < tcp.options->size(); ++i) {
    to.AddTcp(index, absl::StrCat("option ", i + 1),
              [i](TcpSpec& changed) { ChangeOption((*changed.options)[i]); });
    to.AddTcp(index, absl::StrCat("no option ", i + 1), [i](TcpSpec& changed) {
      changed.options->erase(changed.options->begin() +
                             static_cast<ptrdiff_t>(i));
    });
  }
}

void AddPacketMutants(size_t index, const Event& event,
                      const PacketSpec& packet, Collector& to) {
  if (packet.direction == Direction::kInbound) return;
  if (event.when.from == event.when.until &&
      event.when.kind != When::Kind::kAny) {
    to.Add(index, "time", [](Event& changed) {
      changed.when.from += Duration::Milliseconds(1);
      changed.when.until += Duration::Milliseconds(1);
    });
  }
  if (const auto* tcp = std::get_if<TcpSpec>(&packet.transport)) {
    AddTcpMutants(index, *tcp, to);
  }
}

void AddCallMutants(size_t index, const CallSpec& call, Collector& to) {
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
}

}  // namespace

std::vector<Mutant> MutantsOf(const Script& script) {
  Collector collector(script);
  for (size_t i = 0; i < script.events.size(); ++i) {
    const Event& event = script.events[i];
    if (const auto* packet = std::get_if<PacketSpec>(&event.action)) {
      AddPacketMutants(i, event, *packet, collector);
    } else if (const auto* call = std::get_if<CallSpec>(&event.action)) {
      AddCallMutants(i, *call, collector);
    }
  }
  return collector.Take();
}

}  // namespace conformance
