#include "tcpip/shard/shard_loop.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <variant>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tcpip/shard/errors.h"
#include "tcpip/shard/mailbox.h"

namespace tcpip {
namespace {

// Work of one turn at each station.
constexpr size_t kCommandsPerTurn = 256;
constexpr size_t kReadyPerTurn = 1024;
// Else a loop that never rests would not hear that its device is gone.
constexpr uint64_t kTurnsPerLook = 256;
// Last words of a shard: RSTs that may still leave.
constexpr size_t kShutDownBatches = 1024;

InterfaceId AddInterface(Stack& stack, const InterfaceConfig& config,
                         const LinkCapabilities& capabilities, Instant now) {
  const InterfaceId id = stack.AddInterface(config);
  stack.SetCapabilities(id, capabilities, now);
  return id;
}

InterfaceId AddLoopback(Stack& stack, const Link& link, Instant now) {
  const InterfaceId id = AddInterface(stack, {.name = "lo", .loopback = true},
                                      link.capabilities(), now);
  for (const char* text : {"127.0.0.1/8", "::1/128"}) {
    stack.AddAddress(id, *Cidr::Parse(text)).IgnoreError();
  }
  return id;
}

}  // namespace

SharedByShards::SharedByShards(const ShardConfig& config, uint32_t shards,
                               DeviceObserver* observer)
    : inboxes(MakeInboxes(shards, config.max_queued_commands,
                          config.handed_over_bytes)),
      news(shards, observer) {}

ShardLoop::ShardLoop(const ShardConfig& config, Link& link,
                     SharedByShards& group, ShardApp* app)
    : config_(config),
      now_(HostNow()),
      stats_{.start = now_},
      links_{.link = SoftwareOffload(link)},
      stack_(config.stack, pool_, rng_, now_),
      processor_(stack_, link, stats_, config.max_pending_commands),
      link_port_{{links_.link, AddInterface(stack_, config.interface,
                                            links_.link.capabilities(), now_)},
                 LinkWatch(links_.link, now_),
                 links_.link.capabilities()},
      loopback_port_{links_.loopback,
                     AddLoopback(stack_, links_.loopback, now_)},
      group_(group),
      app_(app),
      poller_({.link = link.poll_fd(),
               .commands = inbox().commands.wake_fd(),
               .packets = IsAlone() ? -1 : inbox().packets.wake_fd(),
               .busy_poll = HostProcessors() > 1 ? config.busy_poll
                                                 : Duration::Zero()}) {}

void ShardLoop::Run() {
  if (app_ != nullptr) app_->OnStart(stack_, now_);
  while (Turn()) {
  }
  ShutDown();
}

bool ShardLoop::Turn() {
  if (!more_work_ || stats_.turns % kTurnsPerLook == 0) Sleep();
  more_work_ = false;
  ++stats_.turns;
  // Before the clock is read, so that none of it arrived after now_.
  if (!IsAlone()) inbox().packets.PopAll(work_.packets);
  now_ = HostNow();
  TendLink();
  // Before the link: what a flow sent before it moved to this queue.
  if (!IsAlone()) TakeHandedOver();
  ReadLink();
  const bool open = TakeMail();
  RunCommands();
  stack_.OnTimers(now_);
  processor_.OnTimers(now_);
  TellReadySockets();
  PumpLoopback();
  if (!IsAlone()) HandOver();
  WriteLink();
  return open;
}

void ShardLoop::Sleep() {
  const Duration timeout = more_work_ ? Duration::Zero() : UntilDeadline();
  if (!poller_.Wait(timeout).link_lost) return;
  link_port_.watch.OnLost(HostNow());
  group_.news.OnQueueLost();
}

Duration ShardLoop::UntilDeadline() {
  constexpr Duration kLongest = Duration::Seconds(3600);
  const Instant deadline =
      std::min({stack_.NextDeadline(), processor_.NextDeadline(),
                link_port_.watch.NextDeadline()});
  if (deadline.IsNever()) return kLongest;
  return std::min(deadline - HostNow(), kLongest);
}

void ShardLoop::TendLink() {
  if (const auto reopened = link_port_.watch.Tend(now_)) {
    if (reopened->ok()) {
      poller_.WatchLink(link_port_.link.poll_fd());
      group_.news.OnQueueBack();
    } else {
      group_.news.OnQueueUnusable(*reopened);
    }
  }
  FollowLink();
}

void ShardLoop::FollowLink() {
  TendedPort& port = link_port_;
  const LinkOffloads refused = port.link.refused();
  if (refused != port.refused) {
    port.refused = refused;
    group_.news.OnRefused(config_.stack.steering.index(), refused);
  }
  const LinkCapabilities capabilities = port.link.capabilities();
  if (capabilities == port.capabilities) return;
  port.capabilities = capabilities;
  stack_.SetCapabilities(port.interface, capabilities, now_);
}

void ShardLoop::ReadLink() {
  if (link_port_.watch.lost()) return;
  work_.in.clear();
  const size_t n =
      link_port_.link.ReadBatch(pool_, work_.in, link_port_.read_max, now_);
  stack_.OnPackets(link_port_.interface, work_.in, now_);
  // Where packets come one by one, the call that finds nothing is left out, or
  // made when the answer has gone; else many are answered as one.
  const bool full = n == link_port_.read_max;
  link_port_.read_max = n <= 1 && !full ? 1 : config_.batch_packets;
  if (full) more_work_ = true;
}

// A new batch only when the last one is done: a flood stays in the mailbox,
// which then is full and says so.
bool ShardLoop::TakeMail() {
  Mailbox<Command>& mailbox = inbox().commands;
  return work_.commands.empty() ? mailbox.PopAll(work_.commands)
                                : !mailbox.closed();
}

void ShardLoop::RunCommands() {
  std::vector<Command>& commands = work_.commands;
  size_t& next = work_.next;
  if (commands.empty()) return;
  for (size_t i = 0; i < kCommandsPerTurn && next < commands.size(); ++i) {
    Command& command = commands[next++];
    if (!IsAlone() && PassOn(command)) continue;
    processor_.OnCommand(std::move(command), now_);
  }
  if (next < commands.size()) {
    more_work_ = true;
  } else {
    commands.clear();
    next = 0;
  }
  // One may have switched offloads; what is refused from here on is news.
  FollowLink();
}

// The owner of a dial finds the address given, so that it cannot see another.
bool ShardLoop::PassOn(Command& command) {
  auto* const dial = std::get_if<command::TcpDial>(&command.body);
  if (dial == nullptr) return false;
  const absl::StatusOr<Dialer> dialer = stack_.OwnerOfDial(dial->options);
  if (!dialer.ok() || dialer->owner == config_.stack.steering.index()) {
    return false;
  }
  dial->options.local = dialer->local;
  const absl::Status posted =
      group_.inboxes[dialer->owner]->Post(std::move(command));
  // Moved only when posted. NOLINTNEXTLINE(bugprone-use-after-move)
  if (!posted.ok()) command.reply_to.Answer(posted);
  return true;
}

void ShardLoop::TakeHandedOver() {
  work_.packets.UnpackAll(pool_, [this](InterfaceId interface, Packet packet) {
    stack_.OnPackets(interface, {&packet, 1}, now_);
  });
}

void ShardLoop::HandOver() {
  stack_.group().TakeHandedOver(work_.handed_over);
  for (const HandedOverPacket& packet : work_.handed_over) {
    if (group_.inboxes[packet.owner]->packets.TryPush(packet)) {
      stack_.group().OnHandedOver();
    } else {
      stack_.group().OnOwnerFull(packet);
    }
  }
  work_.handed_over.clear();
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
  work_.in.clear();
  const size_t n =
      links_.loopback.ReadBatch(pool_, work_.in, config_.batch_packets, now_);
  if (n == 0) return;
  stack_.OnPackets(loopback_port_.interface, work_.in, now_);
  more_work_ = true;
}

void ShardLoop::WriteLink() {
  if (link_port_.watch.lost()) return;
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
  inbox().commands.PopAll(work_.commands);
  for (size_t i = work_.next; i < work_.commands.size(); ++i) {
    work_.commands[i].reply_to.Answer(CancelledByStop());
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
