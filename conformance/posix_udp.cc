#include "conformance/posix_udp.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "conformance/linux_constants.h"
#include "conformance/posix_options.h"
#include "tcpip/wire/address.h"

namespace conformance {
namespace {

using tcpip::IpAddress;
using tcpip::IpEndpoint;
using tcpip::IpFamily;

int ErrnoOf(const absl::Status& status, int error_of_invalid) {
  switch (status.code()) {
    case absl::StatusCode::kOk:
      return 0;
    case absl::StatusCode::kAlreadyExists:
      return Linux("EADDRINUSE");
    case absl::StatusCode::kUnavailable:
      return Linux("ENETUNREACH");
    case absl::StatusCode::kAborted:
      return Linux("ECONNREFUSED");
    case absl::StatusCode::kResourceExhausted:
      return Linux("ENOBUFS");
    default:
      return error_of_invalid;
  }
}

bool Suits(const UdpDescriptor& d, const IpAddress& address) {
  return address.IsIpv4() || d.domain == Linux("AF_INET6");
}

SocketFacts FactsOf(const UdpDescriptor& d) {
  return {.is_tcp = false,
          .is_ipv6 = d.domain == Linux("AF_INET6"),
          .is_bound = d.socket.IsValid()};
}

CallResult Unless(int error) { return error != 0 ? Failed(error) : Value(0); }

}  // namespace

int PosixUdp::Open(UdpDescriptor& d, const IpEndpoint& local) {
  const auto socket =
      stack_.UdpOpen({.local = local, .rules = d.options.rules});
  if (!socket.ok()) return ErrnoOf(socket.status(), Linux("EADDRNOTAVAIL"));
  d.socket = *socket;
  return 0;
}

int PosixUdp::EnsureOpen(UdpDescriptor& d) {
  if (d.socket.IsValid()) return 0;
  const bool ipv4 = d.domain == Linux("AF_INET");
  return Open(d, {IpAddress::Any(ipv4 ? IpFamily::kIpv4 : IpFamily::kIpv6), 0});
}

Tried PosixUdp::On(UdpDescriptor& d, const call::Bind& call, Attempt&) {
  if (d.socket.IsValid()) return Failed(Linux("EINVAL"));
  if (!Suits(d, call.local.address)) return Failed(Linux("EAFNOSUPPORT"));
  return Unless(Open(d, call.local));
}

Tried PosixUdp::On(UdpDescriptor&, const call::Listen&, Attempt&) {
  return Failed(Linux("EOPNOTSUPP"));
}

Tried PosixUdp::On(UdpDescriptor&, const call::Accept&, Attempt&) {
  return Failed(Linux("EOPNOTSUPP"));
}

Tried PosixUdp::On(UdpDescriptor& d, const call::Connect& call, Attempt&) {
  if (!Suits(d, call.remote.address)) return Failed(Linux("EAFNOSUPPORT"));
  if (const int error = EnsureOpen(d)) return Failed(error);
  const absl::Status status = stack_.UdpConnect(d.socket, call.remote);
  if (status.ok()) d.remote = call.remote;
  return Unless(ErrnoOf(status, Linux("EINVAL")));
}

Tried PosixUdp::On(UdpDescriptor& d, const call::Receive& call, Attempt&) {
  constexpr int kPeek = Linux("MSG_PEEK");
  constexpr int kTruncate = Linux("MSG_TRUNC");
  constexpr int kKnown =
      kPeek | kTruncate | Linux("MSG_DONTWAIT") | Linux("MSG_NOSIGNAL");
  if (const int other = call.flags & ~kKnown) {
    return Unsupported(absl::StrCat("flag ", FlagsText(kMessageFlags, other)));
  }
  if (const int error = EnsureOpen(d)) return Failed(error);
  const auto datagram = stack_.UdpRecv(
      d.socket,
      {.max_bytes = TotalOf(call.lengths), .peek = (call.flags & kPeek) != 0});
  if (!datagram.ok()) {
    return Failed(ErrnoOf(datagram.status(), Linux("EINVAL")));
  }
  if (!*datagram) return Blocked();
  const size_t got = (*datagram)->payload.size();
  const size_t sent = (*datagram)->size;
  CallResult result =
      Value(static_cast<int64_t>(call.flags & kTruncate ? sent : got));
  result.peer = (*datagram)->source;
  result.message_flags = got < sent ? kTruncate : 0;
  return result;
}

Tried PosixUdp::On(UdpDescriptor& d, const call::Send& call, Attempt&) {
  constexpr int kKnown = Linux("MSG_DONTWAIT") | Linux("MSG_NOSIGNAL");
  if (const int other = call.flags & ~kKnown) {
    return Unsupported(absl::StrCat("flag ", FlagsText(kMessageFlags, other)));
  }
  const std::optional<IpEndpoint>& to = call.to ? call.to : d.remote;
  if (!to) return Failed(Linux("EDESTADDRREQ"));
  if (!Suits(d, to->address)) return Failed(Linux("EAFNOSUPPORT"));
  if (const int error = EnsureOpen(d)) return Failed(error);
  const std::vector<uint8_t> zeros(TotalOf(call.lengths));
  const absl::Status status = stack_.UdpSend(d.socket, *to, zeros);
  if (const int error = ErrnoOf(status, Linux("EMSGSIZE"))) {
    return Failed(error);
  }
  return Value(static_cast<int64_t>(zeros.size()));
}

Tried PosixUdp::On(UdpDescriptor&, const call::Ioctl&, Attempt&) {
  return Unsupported("ioctl of a UDP socket");
}

Tried PosixUdp::On(UdpDescriptor& d, const call::Shutdown&, Attempt&) {
  if (!d.remote) return Failed(Linux("ENOTCONN"));
  return Unsupported("shutdown of a UDP socket");
}

Tried PosixUdp::On(UdpDescriptor& d, const call::GetOption& call, Attempt&) {
  return GetOption(call, FactsOf(d), d.options);
}

Tried PosixUdp::On(UdpDescriptor& d, const call::SetOption& call, Attempt&) {
  return SetOption(call, FactsOf(d), d.options);
}

void PosixUdp::Close(UdpDescriptor& d, tcpip::Instant now) {
  if (d.socket.IsValid()) (void)stack_.Close(d.socket, now);
}

ReadyState PosixUdp::Ready(const UdpDescriptor& d) const {
  constexpr uint32_t kIn = Linux("POLLIN") | Linux("POLLRDNORM");
  constexpr uint32_t kOut =
      Linux("POLLOUT") | Linux("POLLWRNORM") | Linux("POLLWRBAND");
  ReadyState ready = {.events = kOut};
  if (d.socket.IsValid() && stack_.GetReadiness(d.socket)->readable) {
    ready.events |= kIn;
  }
  return ready;
}

}  // namespace conformance
