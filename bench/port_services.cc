#include "bench/port_services.h"

#include <algorithm>
#include <utility>

#include "absl/status/statusor.h"

namespace bench {
namespace {

using tcpip::Instant;
using tcpip::SocketId;
using tcpip::Stack;
using tcpip::View;
using tcpip::ViewChain;

constexpr size_t kReadBytes = size_t{1} << 20;
constexpr uint64_t kSendAhead = uint64_t{1} << 20;

}  // namespace

PortServices::PortServices(std::vector<tcpip::Cidr> addresses,
                           std::function<void(absl::Status)> on_started)
    : addresses_(std::move(addresses)), on_started_(std::move(on_started)) {
  std::vector<uint8_t> bytes(kPatternPeriod);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = PatternByte(i);
  pattern_ = View::Copy(pool_, bytes);
}

PortServices::~PortServices() = default;

void PortServices::OnStart(Stack& stack, Instant /*now*/) {
  on_started_(Start(stack));
}

absl::Status PortServices::Start(Stack& stack) {
  const tcpip::InterfaceId interface = stack.Interfaces().front().id;
  for (const tcpip::Cidr& address : addresses_) {
    if (absl::Status s = stack.AddAddress(interface, address); !s.ok()) {
      return s;
    }
  }
  constexpr std::pair<uint16_t, Service> kPorts[] = {
      {kEchoPort, Service::kEcho},
      {kDiscardPort, Service::kDiscard},
      {kSourcePort, Service::kSource}};
  for (const auto& [port, service] : kPorts) {
    tcpip::TcpListenOptions options;
    options.local = {tcpip::IpAddress(), port};  // "::" takes IPv4, too
    options.backlog = 4096;
    options.settings.no_delay = true;
    absl::StatusOr<SocketId> listener = stack.TcpListen(options);
    if (!listener.ok()) return listener.status();
    listeners_.emplace(*listener, service);
  }
  return absl::OkStatus();
}

void PortServices::OnReady(Stack& stack, const tcpip::ReadyEvent& event,
                           Instant now) {
  const auto listener = listeners_.find(event.socket);
  if (listener != listeners_.end()) {
    Accept(stack, event.socket, listener->second, now);
  } else {
    Serve(stack, event.socket, now);
  }
}

void PortServices::Accept(Stack& stack, SocketId listener, Service service,
                          Instant now) {
  while (true) {
    absl::StatusOr<SocketId> socket = stack.TcpAccept(listener);
    if (!socket.ok()) return;
    connections_.emplace(*socket, Connection{service, nullptr});
    Serve(stack, *socket, now);  // it may have data already
  }
}

void PortServices::Serve(Stack& stack, SocketId socket, Instant now) {
  const auto it = connections_.find(socket);
  if (it == connections_.end()) return;
  Connection& connection = it->second;
  Verdict verdict = Verdict::kGoOn;
  switch (connection.service) {
    case Service::kEcho:
      verdict = Echo(stack, socket, connection, now);
      break;
    case Service::kDiscard:
      verdict = Discard(stack, socket, now);
      break;
    case Service::kSource:
      verdict = Source(stack, socket, connection, now);
      break;
  }
  absl::StatusOr<tcpip::tcp::Readiness> ready = stack.GetReadiness(socket);
  if (verdict == Verdict::kGoOn && ready.ok() && !ready->closed) return;
  connections_.erase(it);
  (verdict == Verdict::kAbort ? stack.Abort(socket, now)
                              : stack.Close(socket, now))
      .IgnoreError();
}

PortServices::Verdict PortServices::Echo(Stack& stack, SocketId socket,
                                         Connection& connection, Instant now) {
  ViewChain data;
  if (connection.transfer != nullptr) {
    data = std::move(connection.transfer->unsent);
  }
  while (true) {
    if (!data.empty() && !stack.TcpSend(socket, data, now).ok()) {
      return Verdict::kAbort;
    }
    if (!data.empty()) {  // read on when this is gone
      if (connection.transfer == nullptr) {
        connection.transfer = std::make_unique<Transfer>();
      }
      connection.transfer->unsent = std::move(data);
      return Verdict::kGoOn;
    }
    absl::StatusOr<ViewChain> got = stack.TcpRecv(socket, kReadBytes, now);
    if (!got.ok()) return Verdict::kAbort;
    if (got->empty()) break;
    data = *std::move(got);
  }
  connection.transfer.reset();
  const absl::StatusOr<tcpip::tcp::Readiness> ready =
      stack.GetReadiness(socket);
  return ready.ok() && ready->read_closed ? Verdict::kFinish : Verdict::kGoOn;
}

PortServices::Verdict PortServices::Discard(Stack& stack, SocketId socket,
                                            Instant now) {
  while (true) {
    absl::StatusOr<ViewChain> got = stack.TcpRecv(socket, kReadBytes, now);
    if (!got.ok()) return Verdict::kAbort;
    if (got->empty()) break;
  }
  const absl::StatusOr<tcpip::tcp::Readiness> ready =
      stack.GetReadiness(socket);
  return ready.ok() && ready->read_closed ? Verdict::kFinish : Verdict::kGoOn;
}

PortServices::Verdict PortServices::Source(Stack& stack, SocketId socket,
                                           Connection& connection,
                                           Instant now) {
  constexpr size_t kRequestBytes = 8;
  if (connection.transfer == nullptr) {
    connection.transfer = std::make_unique<Transfer>();
  }
  Transfer& transfer = *connection.transfer;
  while (transfer.request_bytes < kRequestBytes) {
    absl::StatusOr<ViewChain> got =
        stack.TcpRecv(socket, kRequestBytes - transfer.request_bytes, now);
    if (!got.ok()) return Verdict::kAbort;
    if (got->empty()) {
      const absl::StatusOr<tcpip::tcp::Readiness> ready =
          stack.GetReadiness(socket);
      const bool eof = ready.ok() && ready->read_closed;
      return eof ? Verdict::kFinish : Verdict::kGoOn;
    }
    uint8_t bytes[kRequestBytes];
    const size_t n = got->CopyTo(bytes);
    for (size_t i = 0; i < n; ++i) {
      transfer.request = transfer.request << 8 | bytes[i];
    }
    transfer.request_bytes += n;
  }
  return SendPattern(stack, socket, transfer, now);
}

PortServices::Verdict PortServices::SendPattern(Stack& stack, SocketId socket,
                                                Transfer& transfer,
                                                Instant now) {
  const bool endless = transfer.request == 0;
  while (endless || transfer.sent < transfer.request) {
    const uint64_t want =
        endless ? kSendAhead
                : std::min(kSendAhead, transfer.request - transfer.sent);
    ViewChain data = Pattern(transfer.sent, want);
    const absl::StatusOr<size_t> n = stack.TcpSend(socket, data, now);
    if (!n.ok()) return Verdict::kAbort;
    transfer.sent += *n;
    if (*n < want) return Verdict::kGoOn;
  }
  return Verdict::kFinish;
}

ViewChain PortServices::Pattern(uint64_t position, uint64_t size) const {
  ViewChain chain;
  while (size > 0) {
    const auto offset = static_cast<uint32_t>(position % kPatternPeriod);
    const auto n = static_cast<uint32_t>(
        std::min<uint64_t>(size, pattern_.size() - offset));
    chain.Append(pattern_.Slice(offset, n));
    position += n;
    size -= n;
  }
  return chain;
}

}  // namespace bench
