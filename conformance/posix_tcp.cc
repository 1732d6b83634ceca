#include "conformance/posix_tcp.h"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "conformance/linux_constants.h"
#include "conformance/posix_options.h"
#include "conformance/tcp_info_fields.h"
#include "conformance/tcp_view.h"

namespace conformance {
namespace {

using tcpip::Instant;
using tcpip::IpAddress;
using tcpip::IpEndpoint;
using tcpip::IpFamily;
using Phase = TcpView::Phase;
using Role = TcpDescriptor::Role;

constexpr uint32_t kMaxBacklog = 4096;  // net.core.somaxconn

int ErrnoOf(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kUnavailable:
      return Linux("ENETUNREACH");
    case absl::StatusCode::kAlreadyExists:
      return Linux("EADDRINUSE");
    case absl::StatusCode::kResourceExhausted:
      return Linux("ENOBUFS");
    default:
      return Linux("EINVAL");
  }
}

// Does a socket of `d`'s kind at `local` hear what is for `address`, too?
bool Covers(const TcpDescriptor& d, const IpEndpoint& local,
            const IpAddress& address) {
  if (local.address == address) return true;
  if (!local.address.IsUnspecified()) return false;
  return local.address.family() == address.family() ||
         (local.address.IsIpv6() && !d.options.rules.v6_only);
}

// Why the socket cannot have to do with the address, or 0.
int CheckFamily(const TcpDescriptor& d, const IpAddress& address,
                int error_of_v6_only) {
  if (address.IsIpv6()) {
    return d.domain == Linux("AF_INET") ? Linux("EAFNOSUPPORT") : 0;
  }
  return d.options.rules.v6_only ? error_of_v6_only : 0;
}

SocketFacts FactsOf(const TcpDescriptor& d) {
  return {.is_tcp = true,
          .is_ipv6 = d.domain == Linux("AF_INET6"),
          .is_bound = d.bound || d.role != Role::kFresh};
}

}  // namespace

// --- Opening and closing.

Tried PosixTcp::On(TcpDescriptor& d, const call::Bind& call, Attempt&) {
  if (d.bound || d.role != Role::kFresh) return Failed(Linux("EINVAL"));
  const IpAddress& address = call.local.address;
  if (const int error = CheckFamily(d, address, Linux("EINVAL"))) {
    return Failed(error);
  }
  if (!address.IsUnspecified() && !IsOurs(address)) {
    return Failed(Linux("EADDRNOTAVAIL"));
  }
  if (IsTaken(d, call.local)) return Failed(Linux("EADDRINUSE"));
  d.bound = call.local;
  return Value(0);
}

bool PosixTcp::IsOurs(const IpAddress& address) const {
  for (const tcpip::InterfaceInfo& interface : stack_.Interfaces()) {
    if (interface.config.any_address) return true;
    for (const tcpip::Cidr& own : interface.addresses) {
      if (own.address == address) return true;
    }
  }
  return false;
}

bool PosixTcp::IsTaken(const TcpDescriptor& d, const IpEndpoint& local) const {
  if (local.port == 0) return false;
  for (const auto& [fd, descriptor] : table_.all()) {
    const auto* other = std::get_if<TcpDescriptor>(&descriptor.kind);
    if (other == nullptr || !other->bound) continue;
    if (other->bound->port != local.port) continue;
    if (!Covers(*other, *other->bound, local.address) &&
        !Covers(d, local, other->bound->address)) {
      continue;
    }
    const tcpip::BindRules& theirs = other->options.rules;
    const tcpip::BindRules& ours = d.options.rules;
    const bool both_reuse = theirs.reuse_address && ours.reuse_address &&
                            other->role != Role::kListening;
    if (!both_reuse && !(theirs.reuse_port && ours.reuse_port)) return true;
  }
  return false;
}

Tried PosixTcp::On(TcpDescriptor& d, const call::Listen& call,
                   Attempt& /*attempt*/) {
  // Linux takes it as unsigned.
  const uint32_t backlog =
      std::min(static_cast<uint32_t>(call.backlog), kMaxBacklog);
  if (d.role == Role::kListening) {
    if (backlog == d.backlog) return Value(0);
    return Unsupported("another backlog for a listener");
  }
  if (d.role != Role::kFresh) return Failed(Linux("EINVAL"));
  const IpFamily family =
      d.domain == Linux("AF_INET") ? IpFamily::kIpv4 : IpFamily::kIpv6;
  const auto listener = stack_.TcpListen(
      {.local = d.bound.value_or(IpEndpoint{IpAddress::Any(family), 0}),
       .backlog = backlog,
       .settings = d.options.settings,
       .rules = d.options.rules});
  if (!listener.ok()) return Failed(ErrnoOf(listener.status()));
  d.role = Role::kListening;
  d.socket = *listener;
  d.backlog = backlog;
  d.settings_changed = false;
  return Value(0);
}

Tried PosixTcp::On(TcpDescriptor& d, const call::Accept& call, Attempt&) {
  if (d.role != Role::kListening) return Failed(Linux("EINVAL"));
  constexpr int kKnown = Linux("SOCK_NONBLOCK") | Linux("SOCK_CLOEXEC");
  if (call.flags & ~kKnown) return Failed(Linux("EINVAL"));
  const auto socket = stack_.TcpAccept(d.socket);
  if (!socket.ok()) return Blocked();
  ++d.accepted;
  TcpDescriptor accepted = {.domain = d.domain,
                            .options = d.options,
                            .bound = d.bound,
                            .role = Role::kConnected,
                            .socket = *socket};
  if (d.settings_changed)
    (void)stack_.TcpSetSettings(*socket, d.options.settings);
  CallResult result;
  result.peer = stack_.GetTuple(*socket)->remote;
  result.value =
      table_.Add({.kind = accepted,
                  .nonblocking = (call.flags & Linux("SOCK_NONBLOCK")) != 0});
  return result;
}

Tried PosixTcp::On(TcpDescriptor& d, const call::Connect& call,
                   Attempt& attempt) {
  if (d.role == Role::kConnected || d.role == Role::kListening) {
    return Failed(Linux("EISCONN"));
  }
  const bool starts = d.role == Role::kFresh;
  if (starts) {
    // Somebody shut it down while we waited.
    if (!attempt.is_first) return Failed(Linux("ECONNABORTED"));
    CallResult started = StartConnect(d, call.remote, attempt.now);
    if (started.value != 0) return started;
  }
  const TcpView view = LookAt(d, stack_);
  switch (view.phase) {
    case Phase::kConnecting:
      return Blocked{starts ? Linux("EINPROGRESS") : Linux("EALREADY")};
    case Phase::kClosed:
      Disconnect(d, attempt.now);
      return Failed(view.error != 0 ? view.error : Linux("ECONNABORTED"));
    default:
      break;
  }
  d.role = Role::kConnected;
  return Value(0);
}

CallResult PosixTcp::StartConnect(TcpDescriptor& d, const IpEndpoint& remote,
                                  Instant now) {
  if (const int error = CheckFamily(d, remote.address, Linux("ENETUNREACH"))) {
    return Failed(error);
  }
  const auto socket = stack_.TcpConnect(
      {.remote = remote, .local = d.bound, .settings = d.options.settings},
      now);
  if (!socket.ok()) {
    // Linux: the port may be shared, the flow may not.
    const bool in_use = absl::IsAlreadyExists(socket.status());
    return Failed(in_use ? Linux("EADDRNOTAVAIL") : ErrnoOf(socket.status()));
  }
  d.role = Role::kConnecting;
  d.socket = *socket;
  d.error_taken = false;
  return Value(0);
}

Tried PosixTcp::On(TcpDescriptor& d, const call::Shutdown& call,
                   Attempt& attempt) {
  if (call.how < Linux("SHUT_RD") || call.how > Linux("SHUT_RDWR")) {
    return Failed(Linux("EINVAL"));
  }
  const auto how = static_cast<uint8_t>(call.how + 1);
  const TcpView view = LookAt(d, stack_);
  if (d.role == Role::kListening) {
    if (how & TcpDescriptor::kRead) Disconnect(d, attempt.now);
    return Value(0);
  }
  if (view.phase == Phase::kConnecting) {
    Disconnect(d, attempt.now);
    return Value(0);
  }
  if (view.phase != Phase::kOpen) return Failed(Linux("ENOTCONN"));
  d.shut |= how;
  if (how & TcpDescriptor::kWrite) {
    (void)stack_.TcpCloseWrite(d.socket, attempt.now);
  }
  return Value(0);
}

void PosixTcp::Disconnect(TcpDescriptor& d, Instant now) {
  (void)stack_.Abort(d.socket, now);
  d.role = Role::kFresh;
  d.socket = {};
  d.shut = 0;
  d.error_taken = false;
}

void PosixTcp::Close(TcpDescriptor& d, Instant now) {
  if (d.role == Role::kFresh) return;
  if (d.options.AbortsOnClose()) {
    (void)stack_.Abort(d.socket, now);
  } else {
    (void)stack_.Close(d.socket, now);
  }
}

// --- Data.

Tried PosixTcp::On(TcpDescriptor& d, const call::Receive& call,
                   Attempt& attempt) {
  constexpr int kKnown = Linux("MSG_PEEK") | Linux("MSG_WAITALL") |
                         Linux("MSG_TRUNC") | Linux("MSG_DONTWAIT") |
                         Linux("MSG_NOSIGNAL");
  if (const int other = call.flags & ~kKnown) {
    return Unsupported(absl::StrCat("flag ", FlagsText(kMessageFlags, other)));
  }
  const bool peeks = (call.flags & Linux("MSG_PEEK")) != 0;
  const bool waits_for_all = (call.flags & Linux("MSG_WAITALL")) != 0;
  if (peeks && waits_for_all) {
    return Unsupported("flag MSG_PEEK with MSG_WAITALL");
  }
  const TcpView view = LookAt(d, stack_);
  if (view.phase == Phase::kNone) return Failed(Linux("ENOTCONN"));
  const size_t length = TotalOf(call.lengths);
  const size_t wanted = length - attempt.done;
  size_t got = std::min<size_t>(wanted, view.info.readable_bytes);
  if (got > 0 && !peeks) {
    got = stack_.TcpRecv(d.socket, wanted, attempt.now)->size();
  }
  attempt.done += got;
  const size_t least = waits_for_all ? length : 1;
  if (attempt.done >= std::min(least, length)) {
    return Value(static_cast<int64_t>(attempt.done));
  }
  // What came comes first, then the end, then the error.
  if (view.fin_received) return Value(static_cast<int64_t>(attempt.done));
  if (attempt.done == 0) {
    if (const int error = TakeError(d, view)) return Failed(error);
  }
  if (view.shut & TcpDescriptor::kRead) {
    return Value(static_cast<int64_t>(attempt.done));
  }
  return Blocked();
}

Tried PosixTcp::On(TcpDescriptor& d, const call::Send& call, Attempt& attempt) {
  constexpr int kKnown = Linux("MSG_DONTWAIT") | Linux("MSG_NOSIGNAL");
  if (const int other = call.flags & ~kKnown) {
    return Unsupported(absl::StrCat("flag ", FlagsText(kMessageFlags, other)));
  }
  const TcpView view = LookAt(d, stack_);
  if (view.phase == Phase::kConnecting) return Blocked();
  if (view.phase == Phase::kNone || view.error != 0 ||
      (view.shut & TcpDescriptor::kWrite)) {
    if (attempt.done > 0) return Value(static_cast<int64_t>(attempt.done));
    const int error = TakeError(d, view);
    return Failed(error != 0 ? error : Linux("EPIPE"));
  }
  if (!attempt.is_first && !IsWritable(d, view)) return Blocked();
  const size_t length = TotalOf(call.lengths);
  const std::vector<uint8_t> zeros(std::min<size_t>(
      length - attempt.done, d.options.settings.send_buffer_bytes));
  const absl::StatusOr<size_t> taken =
      stack_.TcpSendCopy(d.socket, zeros, attempt.now);
  assert(taken.ok());
  attempt.done += *taken;
  if (attempt.done < length) return Blocked();
  return Value(static_cast<int64_t>(length));
}

int PosixTcp::TakeError(TcpDescriptor& d, const TcpView& view) {
  if (view.error != 0) d.error_taken = true;
  return view.error;
}

Tried PosixTcp::On(TcpDescriptor& d, const call::Ioctl& call, Attempt&) {
  const TcpView view = LookAt(d, stack_);
  uint64_t bytes = 0;
  switch (call.request) {
    case Linux("SIOCINQ"):
      bytes = view.info.readable_bytes;
      break;
    case Linux("SIOCOUTQ"):
      // What waits for the handshake is not counted.
      if (view.phase != Phase::kConnecting) bytes = view.unsent_or_unacked();
      break;
    case Linux("SIOCOUTQNSD"):
      if (view.phase != Phase::kConnecting) bytes = view.info.unsent_bytes;
      break;
    default:
      return Unsupported(absl::StrCat("ioctl 0x", absl::Hex(call.request)));
  }
  if (d.role == Role::kListening) return Failed(Linux("EINVAL"));
  CallResult result = Value(0);
  result.option = static_cast<int>(bytes);
  return result;
}

ReadyState PosixTcp::Ready(const TcpDescriptor& d) const {
  return ReadyStateOf(d, LookAt(d, stack_));
}

// --- Options.

Tried PosixTcp::On(TcpDescriptor& d, const call::GetOption& call, Attempt&) {
  CallResult result = GetOption(call, FactsOf(d), d.options);
  if (result.value != 0) return result;
  const TcpView view = LookAt(d, stack_);
  if (call.level == Linux("SOL_SOCKET") && call.name == Linux("SO_ERROR")) {
    result.option = TakeError(d, view);
  } else if (call.level == Linux("SOL_TCP") && call.name == Linux("TCP_INFO")) {
    result.option.reset();
    result.info = InfoFieldsOf(view.info);
  }
  return result;
}

Tried PosixTcp::On(TcpDescriptor& d, const call::SetOption& call, Attempt&) {
  SocketOptions options = d.options;
  CallResult result = SetOption(call, FactsOf(d), options);
  if (result.value != 0) return result;
  const tcpip::tcp::SocketSettings& before = d.options.settings;
  if (d.role == Role::kListening &&
      (before.receive_buffer_bytes != options.settings.receive_buffer_bytes ||
       before.send_buffer_bytes != options.settings.send_buffer_bytes)) {
    return Unsupported("another buffer for a listener");
  }
  d.options = options;
  d.settings_changed = d.role == Role::kListening;
  if (d.role == Role::kConnecting || d.role == Role::kConnected) {
    (void)stack_.TcpSetSettings(d.socket, options.settings);
  }
  return result;
}

}  // namespace conformance
