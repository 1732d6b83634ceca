#include "conformance/call_side.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <variant>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "conformance/ascii.h"
#include "conformance/linux_constants.h"
#include "conformance/packet_text.h"

namespace conformance {
namespace {

using tcpip::Duration;

// More than any host needs for a call that does not block, in real time; in
// virtual time it takes none.
constexpr Duration kPromptly = Duration::Seconds(1);

// What of socket()'s type is no flag.
constexpr int kTypeMask = 0xf;

// sockstat's names are netstat's; ours are those of ss(8).
std::string SsState(std::string name) {
  std::replace(name.begin(), name.end(), '_', '-');
  if (name == "ESTABLISHED") return "ESTAB";
  if (name == "SYN-RCVD") return "SYN-RECV";
  if (name == "CLOSED") return "UNCONN";
  return name;
}

bool IsAboutOption(const Call& call) {
  return std::holds_alternative<call::GetOption>(call) ||
         std::holds_alternative<call::SetOption>(call);
}

}  // namespace

CallSide::CallSide(Host& host, FlowBook& flows, Journal& journal,
                   const Ellipses& ellipses)
    : host_(host), flows_(flows), journal_(journal), ellipses_(ellipses) {}

Ended CallSide::OnCall(const CallSpec& spec, int line, const CallTime& time) {
  absl::StatusOr<Call> call = Bind(spec, labels_, ellipses_);
  if (!call.ok()) return SkipOrFail(SkipReason::kCall, call.status());
  journal_.Add(host_.now(), ToText(spec));
  // Its SYN leaves before a blocking connect() returns.
  if (const auto* connect = std::get_if<call::Connect>(&*call)) {
    flows_.OnConnect(connect->remote);
  } else if (const auto* send = std::get_if<call::Send>(&*call);
             send != nullptr && send->to) {
    flows_.OnSendTo(*send->to);
  }
  const Duration now = host_.now();
  const Host::CallId id = host_.StartCall(*call);
  Pending made{spec, *std::move(call), id, time, line};
  if (time.returns) {
    pending_ = std::move(made);
    return std::nullopt;
  }
  made.time.returns = now;
  pending_ = std::move(made);
  return FinishPending();
}

Ended CallSide::FinishPending() {
  if (!pending_) return std::nullopt;
  const Pending made = *std::move(pending_);
  pending_.reset();
  return At(made.line, Finish(made));
}

Ended CallSide::Finish(const Pending& made) {
  const Duration returns = *made.time.returns;
  const auto finished = host_.FinishCall(made.id, returns + made.time.slack);
  if (!finished) {
    const std::string message =
        absl::StrCat(made.spec.name, " still blocks at ", ClockText(returns));
    // Does it block, or was it slow?
    return host_.FinishCall(made.id, host_.now() + kPromptly)
               ? FailLate(message)
               : Fail(message);
  }
  if (finished->at < returns - made.time.slack ||
      finished->at > returns + made.time.slack) {
    return Fail(absl::StrCat(made.spec.name, " returned at ",
                             ClockText(finished->at), " instead of ",
                             ClockText(returns)));
  }
  return Judge(made, *finished);
}

Ended CallSide::Judge(const Pending& made, const Host::Finished& finished) {
  const CallResult& result = finished.result;
  if (!result.unsupported.empty()) {
    return SkipOrFail(IsAboutOption(made.call) ? SkipReason::kSocketOption
                                               : SkipReason::kCall,
                      absl::UnimplementedError(absl::StrCat(
                          result.unsupported, " is not supported")));
  }
  if (std::string difference = Compare(made.spec, result, labels_);
      !difference.empty()) {
    return Fail(absl::StrCat(made.spec.name, ": ", difference));
  }
  Note(made.call, result);
  return std::nullopt;
}

void CallSide::Note(const Call& call, const CallResult& result) {
  const int fd = static_cast<int>(result.value);
  if (result.error != 0) return;
  if (const auto* socket = std::get_if<call::Socket>(&call)) {
    under_test_ = fd;
    flows_.OnSocket((socket->type & kTypeMask) == Linux("SOCK_DGRAM"));
  } else if (const auto* bind = std::get_if<call::Bind>(&call)) {
    flows_.OnBind(bind->local);
  } else if (std::holds_alternative<call::Listen>(call)) {
    flows_.OnListen();
  } else if (std::holds_alternative<call::Accept>(call)) {
    under_test_ = fd;
    if (result.peer) flows_.OnAccept(*result.peer);
  }
}

absl::StatusOr<InfoFields> CallSide::Info() {
  if (!under_test_) {
    return absl::InvalidArgumentError("there is no socket to ask");
  }
  const Host::CallId id =
      host_.StartCall(call::GetOption{.fd = *under_test_,
                                      .level = Linux("SOL_TCP"),
                                      .name = Linux("TCP_INFO")});
  const auto finished = host_.FinishCall(id, host_.now() + kPromptly);
  if (!finished || finished->result.error != 0) {
    return absl::InvalidArgumentError(
        "the socket under test does not tell its TCP_INFO");
  }
  return finished->result.info;
}

Ended CallSide::OnCode(const std::string& code) {
  journal_.Add(host_.now(), absl::StrCat("%{ ", SqueezeBlanks(code), " }%"));
  const absl::StatusOr<InfoFields> info = Info();
  if (!info.ok()) return SkipOrFail(SkipReason::kCode, info.status());
  const absl::StatusOr<CodeOutcome> outcome = Evaluate(code, *info, variables_);
  if (absl::IsNotFound(outcome.status())) {
    return SkipOrFail(SkipReason::kField,
                      absl::UnimplementedError(outcome.status().message()));
  }
  if (!outcome.ok()) return SkipOrFail(SkipReason::kCode, outcome.status());
  if (outcome->passed) return std::nullopt;
  return Fail(outcome->message);
}

Ended CallSide::OnShell(const ShellText& shell) {
  if (shell.linux_profile || !shell.settings.empty()) {
    return SkipOrFail(
        SkipReason::kSetting,
        absl::UnimplementedError("settings that change while the host runs"));
  }
  for (const std::string& state : shell.expected_states) {
    const std::vector<std::string> states = host_.TcpStates();
    if (std::find(states.begin(), states.end(), SsState(state)) ==
        states.end()) {
      return Fail(absl::StrCat("no connection is in ", state,
                               ", there are: ", absl::StrJoin(states, ", ")));
    }
  }
  if (shell.drop_connections) host_.DropConnections();
  return std::nullopt;
}

}  // namespace conformance
