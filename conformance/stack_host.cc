#include "conformance/stack_host.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "tcpip/testing/packet_reader.h"
#include "tcpip/transport/tcp/state.h"

namespace conformance {
namespace {

using tcpip::Instant;

constexpr size_t kDrainAtOnce = 64;

}  // namespace

StackHost::StackHost(const HostConfig& config)
    : rng_(config.seed),
      stack_(config.stack, pool_, rng_, now_),
      sockets_(stack_, {.settings = config.sockets}) {}

absl::Status StackHost::Configure(const HostConfig& config) {
  link_ = stack_.AddInterface({.name = "tun0", .link = {.mtu = config.mtu}});
  if (absl::Status added = stack_.AddAddress(link_, config.local);
      !added.ok()) {
    return added;
  }
  const auto any = tcpip::IpAddress::Any(config.local.address.family());
  return stack_.AddRoute({.destination = {any, 0}, .interface = link_});
}

absl::StatusOr<std::unique_ptr<Host>> StackHost::Make(
    const HostConfig& config) {
  std::unique_ptr<StackHost> host(new StackHost(config));
  if (absl::Status set = host->Configure(config); !set.ok()) return set;
  return host;
}

void StackHost::Settle() {
  sockets_.OnProgress(now_);
  do {
    batch_.clear();
    stack_.DrainOutput(link_, batch_, kDrainAtOnce, now_);
    for (const tcpip::Packet& packet : batch_) {
      sent_.push_back({now(), tcpip::sim::Flatten(packet)});
    }
  } while (!batch_.empty());
  // A drained queue may have made room for a writer.
  sockets_.OnProgress(now_);
  if (stack_.HasOutput(link_)) Settle();
}

bool StackHost::StepTo(Instant until) {
  const Instant next = std::min(stack_.NextDeadline(), sockets_.NextDeadline());
  if (next > until) return false;
  now_ = std::max(now_, next);
  if (stack_.NextDeadline() <= now_) stack_.OnTimers(now_);
  Settle();
  return true;
}

void StackHost::AdvanceTo(tcpip::Duration when) {
  const Instant until = kStart + when;
  while (StepTo(until)) {
  }
  now_ = std::max(now_, until);
}

void StackHost::Inject(tcpip::ByteSpan packet) {
  tcpip::Packet arrived = tcpip::Packet::Copy(pool_, packet);
  arrived.set_ingress(now_);
  stack_.OnPackets(link_, {&arrived, 1}, now_);
  Settle();
}

std::optional<SentPacket> StackHost::NextPacket(tcpip::Duration until) {
  while (sent_.empty() && StepTo(kStart + until)) {
  }
  if (sent_.empty()) {
    AdvanceTo(until);
    return std::nullopt;
  }
  SentPacket packet = std::move(sent_.front());
  sent_.pop_front();
  return packet;
}

Host::CallId StackHost::StartCall(const Call& call) {
  const CallId id = sockets_.Start(call, now_);
  Settle();
  return id;
}

std::optional<Host::Finished> StackHost::FinishCall(CallId id,
                                                    tcpip::Duration until) {
  while (true) {
    if (auto finished = sockets_.Take(id)) {
      return Finished{finished->at - kStart, std::move(finished->result)};
    }
    if (!StepTo(kStart + until)) break;
  }
  AdvanceTo(until);
  return std::nullopt;
}

std::vector<std::string> StackHost::TcpStates() {
  std::vector<std::string> states;
  uint32_t cursor = 0;
  do {
    for (const tcpip::SocketSummary& socket : stack_.ListSockets(cursor, 64)) {
      states.push_back(std::string(tcpip::tcp::ToString(socket.state)));
    }
  } while (cursor != 0);
  states.resize(states.size() + stack_.Stats().tcp_time_wait,
                std::string("TIME-WAIT"));
  return states;
}

void StackHost::DropConnections() {
  uint32_t cursor = 0;
  std::vector<tcpip::SocketId> sockets;
  do {
    for (const tcpip::SocketSummary& socket : stack_.ListSockets(cursor, 64)) {
      if (!socket.is_listener) sockets.push_back(socket.socket);
    }
  } while (cursor != 0);
  for (const tcpip::SocketId socket : sockets) {
    stack_.Abort(socket, now_).IgnoreError();
  }
  Settle();
}

}  // namespace conformance
