#include "conformance/call_binding.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "conformance/arguments.h"
#include "conformance/call_outputs.h"
#include "conformance/packet_text.h"

namespace conformance {
namespace {

using Kind = Expr::Kind;

// Room for control messages where a script expects some.
constexpr uint32_t kControlRoom = 512;

Call BindSocket(Arguments& args, const Ellipses& fill) {
  return call::Socket{.domain = args.IsEllipsis(0) ? fill.domain : args.Int(0),
                      .type = args.Int(1),
                      .protocol = args.IsEllipsis(2) ? 0 : args.Int(2)};
}

Call BindBind(Arguments& args, const Ellipses& fill) {
  return call::Bind{
      .fd = args.Descriptor(0),
      .local = args.Address(1, fill.local).value_or(tcpip::IpEndpoint())};
}

Call BindListen(Arguments& args, const Ellipses&) {
  return call::Listen{.fd = args.Descriptor(0), .backlog = args.Int(1)};
}

Call BindAccept(Arguments& args, const Ellipses&) {
  args.IgnoredAddress(1);
  return call::Accept{.fd = args.Descriptor(0),
                      .flags = args.count() > 3 ? args.Int(3) : 0};
}

Call BindConnect(Arguments& args, const Ellipses& fill) {
  return call::Connect{
      .fd = args.Descriptor(0),
      .remote = args.Address(1, fill.remote).value_or(tcpip::IpEndpoint())};
}

// read, recv, recvfrom.
Call BindReceive(Arguments& args, const Ellipses&) {
  if (args.count() > 4) args.IgnoredAddress(4);
  return call::Receive{.fd = args.Descriptor(0),
                       .lengths = {args.Length(args.At(2))},
                       .flags = args.count() > 3 ? args.Int(3) : 0};
}

Call BindReadv(Arguments& args, const Ellipses&) {
  return call::Receive{.fd = args.Descriptor(0),
                       .lengths = args.IoVector(args.At(1))};
}

Call BindRecvmsg(Arguments& args, const Ellipses&) {
  const Arguments::Message message = args.MessageHeader(1);
  return call::Receive{
      .fd = args.Descriptor(0),
      .lengths = message.lengths,
      .flags = args.Int(2),
      .control_length = message.has_control ? kControlRoom : 0};
}

// write, send, sendto.
Call BindSend(Arguments& args, const Ellipses& fill) {
  call::Send send = {.fd = args.Descriptor(0),
                     .lengths = {args.Length(args.At(2))},
                     .flags = args.count() > 3 ? args.Int(3) : 0};
  if (args.count() > 4) send.to = args.Address(4, fill.remote);
  return send;
}

Call BindWritev(Arguments& args, const Ellipses&) {
  return call::Send{.fd = args.Descriptor(0),
                    .lengths = args.IoVector(args.At(1))};
}

Call BindSendmsg(Arguments& args, const Ellipses&) {
  Arguments::Message message = args.MessageHeader(1);
  if (message.has_control) args.Missing("control messages that go out");
  return call::Send{.fd = args.Descriptor(0),
                    .lengths = std::move(message.lengths),
                    .flags = args.Int(2)};
}

Call BindFcntl(Arguments& args, const Ellipses&) {
  return call::Fcntl{.fd = args.Descriptor(0),
                     .command = args.Int(1),
                     .argument = args.count() > 2 ? args.Int(2) : 0};
}

Call BindIoctl(Arguments& args, const Ellipses&) {
  return call::Ioctl{.fd = args.Descriptor(0),
                     .request = static_cast<uint64_t>(args.Number(1))};
}

Call BindClose(Arguments& args, const Ellipses&) {
  return call::Close{.fd = args.Descriptor(0)};
}

Call BindShutdown(Arguments& args, const Ellipses&) {
  return call::Shutdown{.fd = args.Descriptor(0), .how = args.Int(1)};
}

Call BindGetOption(Arguments& args, const Ellipses&) {
  return call::GetOption{
      .fd = args.Descriptor(0), .level = args.Int(1), .name = args.Int(2)};
}

Call BindSetOption(Arguments& args, const Ellipses&) {
  return call::SetOption{.fd = args.Descriptor(0),
                         .level = args.Int(1),
                         .name = args.Int(2),
                         .value = args.Option(3)};
}

Call BindPoll(Arguments& args, const Ellipses&) {
  return call::Poll{.entries = args.PollEntries(0), .timeout_ms = args.Int(2)};
}

Call BindEpollCreate(Arguments& args, const Ellipses&) {
  // A size, which Linux does not look at but for its sign.
  if (args.Int(0) <= 0) args.Missing("epoll_create without a size");
  return call::EpollCreate{};
}

Call BindEpollCreate1(Arguments& args, const Ellipses&) {
  return call::EpollCreate{.flags = args.Int(0)};
}

Call BindEpollControl(Arguments& args, const Ellipses&) {
  const int operation = args.Int(1);
  const bool has_event =
      operation != Linux("EPOLL_CTL_DEL") || args.At(3).kind == Kind::kStruct;
  return call::EpollControl{
      .epoll_fd = args.Descriptor(0),
      .operation = operation,
      .fd = args.Descriptor(2),
      .event = has_event ? args.Event(3) : call::EpollEvent()};
}

Call BindEpollWait(Arguments& args, const Ellipses&) {
  return call::EpollWait{.epoll_fd = args.Descriptor(0),
                         .max_events = args.Int(2),
                         .timeout_ms = args.Int(3)};
}

struct KnownCall {
  std::string_view name;
  size_t least_arguments;
  size_t most_arguments;
  Call (*bind)(Arguments&, const Ellipses&);
  bool returns_descriptor = false;
};

const KnownCall kCalls[] = {
    {"socket", 3, 3, BindSocket, true},
    {"bind", 3, 3, BindBind},
    {"listen", 2, 2, BindListen},
    {"accept", 3, 3, BindAccept, true},
    {"accept4", 4, 4, BindAccept, true},
    {"connect", 3, 3, BindConnect},
    {"read", 3, 3, BindReceive},
    {"recv", 4, 4, BindReceive},
    {"recvfrom", 6, 6, BindReceive},
    {"readv", 3, 3, BindReadv},
    {"recvmsg", 3, 3, BindRecvmsg},
    {"write", 3, 3, BindSend},
    {"send", 4, 4, BindSend},
    {"sendto", 6, 6, BindSend},
    {"writev", 3, 3, BindWritev},
    {"sendmsg", 3, 3, BindSendmsg},
    {"fcntl", 2, 3, BindFcntl},
    {"ioctl", 3, 3, BindIoctl},
    {"close", 1, 1, BindClose},
    {"shutdown", 2, 2, BindShutdown},
    {"getsockopt", 5, 5, BindGetOption},
    {"setsockopt", 5, 5, BindSetOption},
    {"poll", 3, 3, BindPoll},
    {"epoll_create", 1, 1, BindEpollCreate, true},
    {"epoll_create1", 1, 1, BindEpollCreate1, true},
    {"epoll_ctl", 4, 4, BindEpollControl},
    {"epoll_wait", 4, 4, BindEpollWait},
};

const KnownCall* FindCall(std::string_view name) {
  for (const KnownCall& call : kCalls) {
    if (call.name == name) return &call;
  }
  return nullptr;
}

bool IsExpectedValue(const CallSpec& spec, const CallResult& result) {
  if (spec.result.kind == Kind::kEllipsis) return true;
  const absl::StatusOr<int64_t> wanted = NumberOf(spec.result);
  return wanted.ok() && *wanted == result.value;
}

bool IsExpectedError(const CallSpec& spec, const CallResult& result) {
  return spec.error.empty() || ConstantNumber(spec.error) == result.error;
}

}  // namespace

absl::StatusOr<Call> Bind(const CallSpec& spec, const Labels& labels,
                          const Ellipses& fill) {
  const KnownCall* const known = FindCall(spec.name);
  if (known == nullptr) {
    return absl::UnimplementedError(
        absl::StrCat(spec.name, "() is not a call that is known"));
  }
  Arguments args(spec, labels);
  args.Count(known->least_arguments, known->most_arguments);
  Call call = known->bind(args, fill);
  if (!args.status().ok()) return args.status();
  if (absl::Status outputs = CheckOutputs(spec); !outputs.ok()) return outputs;
  return call;
}

std::string Compare(const CallSpec& spec, const CallResult& result,
                    Labels& labels) {
  const KnownCall* const known = FindCall(spec.name);
  const bool opens = known != nullptr && known->returns_descriptor;
  if (opens && result.value >= 0 && spec.result.kind == Kind::kInteger &&
      spec.result.integer >= 0) {
    labels.Set(spec.result.integer, static_cast<int>(result.value));
    return "";
  }
  CallSpec expected = spec;
  expected.note.clear();
  CallSpec seen = expected;
  bool same = true;
  if (!IsExpectedValue(spec, result) || !IsExpectedError(spec, result)) {
    same = false;
    seen.result = NumberExpr(result.value);
    seen.error = std::string(ErrnoName(result.error));
  } else if (result.error == 0) {
    same = PutOutputs(result, seen);
  }
  if (same) return "";
  return absl::StrCat("expected ", ToText(expected), ", got ", ToText(seen));
}

}  // namespace conformance
