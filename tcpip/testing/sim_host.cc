#include "tcpip/testing/sim_host.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tcpip/stack/stats.h"
#include "tcpip/stack/summary.h"
#include "tcpip/transport/tcp/state.h"
#include "tcpip/wire/address.h"

namespace tcpip::sim {
namespace {

constexpr size_t kLoopbackBatch = 64;

// Something has to happen by itself in these states.
bool IsUnfinished(const SocketSummary& socket) {
  switch (socket.state) {
    case tcp::TcpState::kSynSent:
    case tcp::TcpState::kSynReceived:
    case tcp::TcpState::kFinWait1:
    case tcp::TcpState::kClosing:
    case tcp::TcpState::kLastAck:
      return true;
    case tcp::TcpState::kFinWait2:
      return !socket.socket.IsValid();  // an orphan may not wait for ever
    case tcp::TcpState::kEstablished:
    case tcp::TcpState::kCloseWait:
      return socket.send_queue > 0;
    default:
      return false;
  }
}

}  // namespace

SimHost::SimHost(Simulation& simulation, std::string name,
                 const StackConfig& config)
    : simulation_(simulation),
      name_(std::move(name)),
      rng_(simulation.NextSeed()),
      stack_(config, pool_, rng_, simulation.now()) {
  loopback_interface_ = AddInterface(
      {.name = "lo", .link = loopback_.capabilities(), .loopback = true},
      [this] { return PullLoopback(); });
  for (const char* address : {"127.0.0.1/8", "::1/128"}) {
    stack_.AddAddress(loopback_interface_, *Cidr::Parse(address)).IgnoreError();
  }
}

InterfaceId SimHost::AddInterface(const InterfaceConfig& config, Pull pull) {
  const InterfaceId id = stack_.AddInterface(config);
  links_.emplace(id, std::move(pull));
  return id;
}

void SimHost::Open(const TcpConnectOptions& options, std::unique_ptr<App> app) {
  const auto socket = stack_.TcpConnect(options, simulation_.now());
  if (!socket.ok()) {
    simulation_.Violation(
        absl::StrCat(name_, " cannot connect: ", socket.status().ToString()));
    retired_.push_back(std::move(app));
    return;
  }
  seats_[*socket].app = std::move(app);
  StepApp(*socket);
  Settle();
}

void SimHost::Listen(const TcpListenOptions& options, AppFactory make_app) {
  const auto listener = stack_.TcpListen(options);
  if (!listener.ok()) {
    simulation_.Violation(
        absl::StrCat(name_, " cannot listen: ", listener.status().ToString()));
    return;
  }
  listeners_.emplace(*listener, std::move(make_app));
}

void SimHost::Act(absl::FunctionRef<void(Stack&, Instant)> action) {
  action(stack_, simulation_.now());
  Settle();
}

void SimHost::Receive(InterfaceId interface, Packet packet) {
  packet.set_ingress(simulation_.now());
  stack_.OnPackets(interface, {&packet, 1}, simulation_.now());
  Settle();
}

void SimHost::Settle() {
  for (bool more = true; more;) {
    more = DispatchEvents();
    for (auto& [interface, pull] : links_) more |= pull();
  }
  CheckRules();
  ArmTimer();
}

bool SimHost::DispatchEvents() {
  bool any = false;
  while (const std::optional<ReadyEvent> event = stack_.NextReady()) {
    any = true;
    if (event->acceptable) {
      AcceptAll(event->socket);
    } else {
      StepApp(event->socket);
    }
  }
  return any;
}

void SimHost::AcceptAll(SocketId listener) {
  const auto found = listeners_.find(listener);
  if (found == listeners_.end()) return;
  while (true) {
    const auto socket = stack_.TcpAccept(listener);
    if (!socket.ok()) return;
    seats_[*socket].app = found->second();
    StepApp(*socket);
  }
}

void SimHost::StepApp(SocketId socket) {
  const auto found = seats_.find(socket);
  if (found == seats_.end()) return;
  Seat& seat = found->second;
  const Instant now = simulation_.now();
  const Instant wake = seat.app->Step(stack_, socket, now);
  if (seat.app->done()) {
    retired_.push_back(std::move(seat.app));
    seats_.erase(found);
  } else if (wake != seat.wake && wake > now) {
    seat.wake = wake;
    simulation_.At(wake, [this, socket] {
      StepApp(socket);
      Settle();
    });
  }
}

bool SimHost::PullLoopback() {
  PacketBatch batch;
  stack_.DrainOutput(loopback_interface_, batch, kLoopbackBatch,
                     simulation_.now());
  if (batch.empty()) return false;
  loopback_.WriteBatch(batch);
  simulation_.At(simulation_.now(), [this] {
    PacketBatch arrived;
    loopback_.ReadBatch(pool_, arrived, kLoopbackBatch, simulation_.now());
    stack_.OnPackets(loopback_interface_, arrived, simulation_.now());
    Settle();
  });
  return false;  // what is left goes when this has arrived
}

void SimHost::ArmTimer() {
  const Instant next = stack_.NextDeadline();
  if (next >= timer_) return;
  timer_ = next;
  simulation_.At(next, [this] { OnTimer(); });
}

void SimHost::OnTimer() {
  // A deadline that moved leaves its old event behind.
  if (timer_ != simulation_.now()) return;
  timer_ = Instant::Never();
  if (stack_.NextDeadline() <= simulation_.now()) {
    stack_.OnTimers(simulation_.now());
  }
  Settle();
}

void SimHost::CheckRules() {
  stack_.CheckInvariants();
  if (stack_.NextDeadline().IsNever() && OwesProgress()) {
    simulation_.Violation(
        absl::StrCat(name_, " waits for something without a timer"));
  }
}

bool SimHost::OwesProgress() const {
  for (const auto& [interface, pull] : links_) {
    if (stack_.HasOutput(interface)) return false;  // the link will ask for it
  }
  const StackStats stats = stack_.Stats();
  if (stats.tcp_half_open > 0 || stats.tcp_time_wait > 0) return true;
  uint32_t cursor = 0;
  do {
    for (const SocketSummary& socket : stack_.ListSockets(cursor, 100)) {
      if (!socket.is_listener && IsUnfinished(socket)) return true;
    }
  } while (cursor != 0);
  return false;
}

}  // namespace tcpip::sim
