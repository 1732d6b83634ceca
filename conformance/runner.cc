#include "conformance/runner.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "conformance/ascii.h"
#include "conformance/call_binding.h"
#include "conformance/call_side.h"
#include "conformance/flow_book.h"
#include "conformance/journal.h"
#include "conformance/linux_constants.h"
#include "conformance/packet_text.h"
#include "conformance/script_options.h"
#include "conformance/settings.h"
#include "conformance/shell_text.h"
#include "conformance/wire_side.h"

namespace conformance {
namespace {

using tcpip::Duration;

constexpr size_t kLinesBeforeFailure = 12;

// The host and what is known of it, from the first event that needs it on.
struct Live {
  Live(std::unique_ptr<Host> made, const RunOptions& options, Journal& journal)
      : host(std::move(made)),
        flows(MakeFlows(options)),
        wire(*host, flows, journal,
             {.compare = options.compare,
              .strict_segments = options.strict_segments}),
        calls(*host, flows, journal, FillIn(options)) {}

  static FlowBook MakeFlows(const RunOptions& options) {
    return FlowBook({.local = options.host.local.address,
                     .remote = options.host.remote,
                     .bind_port = options.bind_port,
                     .connect_port = options.connect_port,
                     .remote_isn_shift = options.remote_isn_shift,
                     .ticking_timestamps = options.compare.check_timestamps});
  }

  // What "..." stands for: sockets of IPv6 name IPv4's addresses in their own
  // way, and bind to any.
  static Ellipses FillIn(const RunOptions& options) {
    const bool v6 = options.host.ip != IpMode::kIpv4;
    const auto any = tcpip::IpAddress::Any(v6 ? tcpip::IpFamily::kIpv6
                                              : tcpip::IpFamily::kIpv4);
    return {.domain = v6 ? Linux("AF_INET6") : Linux("AF_INET"),
            .local = {any, options.bind_port},
            .remote = {options.host.remote, options.connect_port}};
  }

  std::unique_ptr<Host> host;
  FlowBook flows;
  WireSide wire;
  CallSide calls;
};

class Walk {
 public:
  Walk(const Script& script, const RunOptions& options, HostFactory make_host)
      : script_(script),
        options_(options),
        make_host_(make_host),
        journal_(options.trace ? std::numeric_limits<size_t>::max()
                               : kLinesBeforeFailure) {}

  Outcome Go();

 private:
  Ended Begin();
  Ended Step(const Event& event);
  Ended OnTime(const Event& event, Duration due);
  Ended OnCommand(const std::string& text);
  Ended StartHost();
  Ended End();
  Duration AllowedSince(Duration before, Duration due) const {
    return std::max(options_.tolerance.fixed,
                    (due - before) * options_.tolerance.per_mille / 1000);
  }
  Duration now() const { return live_ ? live_->host->now() : Duration(); }

  const Script& script_;
  RunOptions options_;
  HostFactory make_host_;
  Journal journal_;
  std::optional<Live> live_;
  Duration base_;  // relative times count from here
};

bool IsRelative(const When& when) {
  return when.kind == When::Kind::kRelative ||
         when.kind == When::Kind::kRelativeRange;
}

bool IsInbound(const Event& event) {
  const auto* packet = std::get_if<PacketSpec>(&event.action);
  return packet != nullptr && packet->direction == Direction::kInbound;
}

bool IsOutbound(const Event& event) {
  const auto* packet = std::get_if<PacketSpec>(&event.action);
  return packet != nullptr && packet->direction == Direction::kOutbound;
}

Ended Walk::StartHost() {
  if (live_) return std::nullopt;
  absl::StatusOr<std::unique_ptr<Host>> made = make_host_(options_.host);
  if (!made.ok()) return SkipOrFail(SkipReason::kBackend, made.status());
  live_.emplace(*std::move(made), options_, journal_);
  return std::nullopt;
}

Ended Walk::OnCommand(const std::string& text) {
  if (text.empty()) return std::nullopt;
  journal_.Add(now(), absl::StrCat("`", SqueezeBlanks(text), "`"));
  const absl::StatusOr<ShellText> shell = ReadShell(text);
  if (!shell.ok()) return SkipOrFail(SkipReason::kCommand, shell.status());
  if (live_) return live_->calls.OnShell(*shell);
  if (shell->linux_profile) {
    SetProfile(Profile::kLinux, options_.host);
  }
  for (const Setting& setting : shell->settings) {
    if (absl::Status set = Apply(setting, options_.host); !set.ok()) {
      return SkipOrFail(SkipReason::kSetting, set);
    }
  }
  return std::nullopt;
}

// What a script may say before its first event.
Ended Walk::Begin() {
  // The IP version sets addresses and MTU, which the other lines change.
  std::vector<ScriptOption> options = script_.options;
  std::stable_partition(
      options.begin(), options.end(),
      [](const ScriptOption& option) { return option.name == "ip_version"; });
  for (const ScriptOption& option : options) {
    if (absl::Status set = Apply(option, options_); !set.ok()) {
      return At(option.line, SkipOrFail(SkipReason::kScriptOption, set));
    }
  }
  return OnCommand(script_.init_command);
}

// Calls, packets in, commands and code wait for their time, and have to start
// at it.
Ended Walk::OnTime(const Event& event, Duration due) {
  live_->host->AdvanceTo(due);
  const Duration late = now() - due;
  if (late <= AllowedSince(base_, due)) return std::nullopt;
  return FailLate(absl::StrCat("cannot begin at ", ToText(event.when),
                               ": it is ", ClockText(now()), ", ", ToText(late),
                               " s late"));
}

Ended Walk::Step(const Event& event) {
  const bool is_command = std::holds_alternative<CommandSpec>(event.action);
  if (!is_command || event.when.from > Duration()) {
    if (Ended ended = StartHost()) return ended;
  }
  const Duration from =
      IsRelative(event.when) ? base_ + event.when.from : event.when.from;
  const Duration until =
      IsRelative(event.when) ? base_ + event.when.until : event.when.until;
  const Duration before = base_;

  Ended ended;
  if (IsOutbound(event)) {
    const Window window = {
        .from = from,
        .until = until,
        .slack = AllowedSince(before, from),
        .any = event.when.kind == When::Kind::kAny,
    };
    ended = live_->wire.Expect(std::get<PacketSpec>(event.action), window);
  } else {
    const auto* call = std::get_if<CallSpec>(&event.action);
    if (call != nullptr && (ended = live_->calls.FinishPending())) return ended;
    if (live_ && (ended = OnTime(event, from))) return ended;
    if (const auto* packet = std::get_if<PacketSpec>(&event.action)) {
      ended = live_->wire.Inject(*packet);
    } else if (call != nullptr) {
      std::optional<Duration> returns = event.when.returns;
      if (returns && IsRelative(event.when)) *returns += from;
      const Duration slack = AllowedSince(from, returns.value_or(from));
      ended = live_->calls.OnCall(*call, event.line,
                                  {.returns = returns, .slack = slack});
    } else if (const auto* code = std::get_if<CodeSpec>(&event.action)) {
      ended = live_->calls.OnCode(code->text);
    } else {
      ended = OnCommand(std::get<CommandSpec>(event.action).text);
    }
  }
  // Packets in a row keep their distances, however long each took.
  base_ = IsInbound(event) ? from : std::max(now(), from);
  return ended;
}

Ended Walk::End() {
  if (!live_) return std::nullopt;
  if (Ended ended = live_->calls.FinishPending()) return ended;
  return options_.strict ? live_->wire.CheckLeftovers() : std::nullopt;
}

Outcome Walk::Go() {
  Ended ended = Begin();
  for (const Event& event : script_.events) {
    if (ended) break;
    ended = At(event.line, Step(event));
  }
  if (!ended) ended = End();
  Outcome outcome = std::move(ended).value_or(Outcome());
  if (options_.trace) {
    outcome.trace = journal_.lines();
  } else if (outcome.verdict == Verdict::kFail && !journal_.lines().empty()) {
    outcome.details.push_back("before it:");
    for (const std::string& line : journal_.lines()) {
      outcome.details.push_back("  " + line);
    }
  }
  return outcome;
}

}  // namespace

Outcome Run(const Script& script, const RunOptions& options,
            HostFactory make_host) {
  return Walk(script, options, make_host).Go();
}

}  // namespace conformance
