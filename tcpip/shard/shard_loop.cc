#include "tcpip/shard/shard_loop.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "absl/status/status.h"

namespace tcpip {
namespace {

// Work of one turn at each station.
constexpr size_t kCommandsPerTurn = 256;
constexpr size_t kReadyPerTurn = 1024;
// Last words of a shard: RSTs that may still leave.
constexpr size_t kShutDownBatches = 1024;

InterfaceConfig LinkInterface(const ShardConfig& config, const Link& link) {
  const LinkCapabilities capabilities = link.capabilities();
  InterfaceConfig result = config.interface;
  result.mtu = capabilities.mtu;
  result.max_gso_bytes_ipv4 = capabilities.max_gso_bytes_ipv4;
  result.max_gso_bytes_ipv6 = capabilities.max_gso_bytes_ipv6;
  result.checksum_offload = capabilities.checksum_offload;
  return result;
}

InterfaceId AddLoopback(Stack& stack, const Link& link) {
  ShardConfig config;
  config.interface.name = "lo";
  config.interface.loopback = true;
  const InterfaceId id = stack.AddInterface(LinkInterface(config, link));
  for (const char* text : {"127.0.0.1/8", "::1/128"}) {
    stack.AddAddress(id, *Cidr::Parse(text)).IgnoreError();
  }
  return id;
}

}  // namespace

ShardLoop::ShardLoop(const ShardConfig& config, Link& link,
                     Mailbox<Command>& mailbox, ShardApp* app)
    : config_(config),
      now_(HostNow()),
      links_{.link = SoftwareOffload(link)},
      stack_(config.stack, pool_, rng_, now_),
      processor_(stack_, link, config.max_pending_commands, now_),
      link_port_{links_.link,
                 stack_.AddInterface(LinkInterface(config, links_.link))},
      loopback_port_{links_.loopback, AddLoopback(stack_, links_.loopback)},
      mailbox_(mailbox),
      app_(app),
      poller_(link.poll_fd(), mailbox.wake_fd()) {}

void ShardLoop::Run() {
  if (app_ != nullptr) app_->OnStart(stack_, now_);
  while (Turn()) {
  }
  ShutDown();
}

bool ShardLoop::Turn() {
  if (!more_work_) Sleep();
  more_work_ = false;
  now_ = HostNow();
  ReadLink();
  const bool open = TakeMail();
  RunCommands();
  stack_.OnTimers(now_);
  processor_.OnTimers(now_);
  TellReadySockets();
  PumpLoopback();
  WriteLink();
  return open;
}

void ShardLoop::Sleep() {
  constexpr Duration kLongest = Duration::Seconds(3600);
  const Instant deadline =
      std::min(stack_.NextDeadline(), processor_.NextDeadline());
  const Duration timeout =
      deadline.IsNever() ? kLongest : std::min(deadline - HostNow(), kLongest);
  const Poller::Ready ready = poller_.Wait(timeout);
  if (ready.link_lost && config_.on_link_lost) config_.on_link_lost();
}

void ShardLoop::ReadLink() {
  in_.clear();
  const size_t n =
      link_port_.link.ReadBatch(pool_, in_, config_.batch_packets, now_);
  stack_.OnPackets(link_port_.interface, in_, now_);
  if (n == config_.batch_packets) more_work_ = true;
}

// A new batch only when the last one is done: a flood stays in the mailbox,
// which then is full and says so.
bool ShardLoop::TakeMail() {
  return inbox_.commands.empty() ? mailbox_.PopAll(inbox_.commands)
                                 : !mailbox_.closed();
}

void ShardLoop::RunCommands() {
  auto& [commands, next] = inbox_;
  const size_t end = std::min(commands.size(), next + kCommandsPerTurn);
  for (; next != end; ++next) {
    processor_.OnCommand(std::move(commands[next]), now_);
  }
  if (next < commands.size()) {
    more_work_ = true;
  } else {
    commands.clear();
    next = 0;
  }
}

void ShardLoop::TellReadySockets() {
  for (size_t i = 0; i < kReadyPerTurn; ++i) {
    const std::optional<ReadyEvent> event = stack_.NextReady();
    if (!event) return;
    if (processor_.OnReady(*event, now_) || app_ == nullptr) continue;
    app_->OnReady(stack_, *event, now_);
  }
  more_work_ = true;
}

void ShardLoop::PumpLoopback() {
  Write(loopback_port_);
  in_.clear();
  const size_t n =
      links_.loopback.ReadBatch(pool_, in_, config_.batch_packets, now_);
  if (n == 0) return;
  stack_.OnPackets(loopback_port_.interface, in_, now_);
  more_work_ = true;
}

void ShardLoop::WriteLink() {
  const bool full = !Write(link_port_);
  poller_.WatchWritable(full);
  if (!full && stack_.HasOutput(link_port_.interface)) more_work_ = true;
}

bool ShardLoop::Write(Port& port) {
  if (port.out.empty()) {
    stack_.DrainOutput(port.interface, port.out, config_.batch_packets, now_);
  }
  if (port.out.empty()) return true;
  const size_t taken = port.link.WriteBatch(port.out);
  const bool all = taken == port.out.size();
  port.out.erase(port.out.begin(),
                 port.out.begin() + static_cast<ptrdiff_t>(taken));
  return all;
}

void ShardLoop::ShutDown() {
  const absl::Status stopped = absl::CancelledError("the shard has stopped");
  mailbox_.PopAll(inbox_.commands);
  for (size_t i = inbox_.next; i < inbox_.commands.size(); ++i) {
    CommandProcessor::Refuse(std::move(inbox_.commands[i]), stopped);
  }
  processor_.CancelAll();
  uint32_t cursor = 0;
  do {
    for (const SocketSummary& s : stack_.ListSockets(cursor, 1024)) {
      stack_.Abort(s.socket, now_).IgnoreError();
    }
  } while (cursor != 0);
  for (size_t i = 0; i < kShutDownBatches; ++i) {
    if (!Write(link_port_) || !stack_.HasOutput(link_port_.interface)) break;
  }
}

}  // namespace tcpip
