#include "tcpip/shard/command_router.h"

#include <utility>
#include <variant>

#include "tcpip/stack/socket_id.h"

namespace tcpip {
namespace {

template <typename C>
concept NamesASocket = requires(const C& c) {
  c.socket;
};

}  // namespace

CommandRouter::CommandRouter(const ShardInboxes& inboxes, const SipHashKey& key,
                             size_t max_pending_commands)
    : steering_(0, static_cast<uint32_t>(inboxes.size()), key),
      inboxes_(inboxes),
      tours_{inboxes, listeners_, max_pending_commands} {}

absl::Status CommandRouter::Post(Command&& command) {
  if (Tour::IsFor(command.body)) return Tour::Begin(tours_, command);
  if (const auto* const accept =
          std::get_if<command::TcpAccept>(&command.body)) {
    if (const auto listener = listeners_.Find(accept->listener)) {
      listener->Accept(std::move(command));
      return absl::OkStatus();
    }
  }
  if (const auto listener = RemoveListener(command.body)) {
    return listener->Close(std::move(command));
  }
  const uint32_t shard = std::visit(
      [this](const auto& body) { return ShardFor(body); }, command.body);
  return inboxes_[shard]->Post(std::move(command));
}

std::shared_ptr<GroupListener> CommandRouter::RemoveListener(
    const command::Body& body) {
  if (const auto* const close = std::get_if<command::Close>(&body)) {
    return listeners_.Remove(close->socket);
  }
  if (const auto* const abort = std::get_if<command::Abort>(&body)) {
    return listeners_.Remove(abort->socket);
  }
  return nullptr;
}

uint32_t CommandRouter::ShardFor(const command::TcpDial& c) {
  // Shard 0 knows routes, and by them the owner. See ShardLoop::PassOn.
  const bool has_port = c.options.local && c.options.local->port != 0;
  return has_port ? 0 : NextShard();
}

uint32_t CommandRouter::ShardFor(const command::TcpAccept& c) {
  return Existing(c.listener.shard());
}

uint32_t CommandRouter::ShardFor(const command::UdpOpen& c) {
  const uint16_t port = c.options.local.port;
  return port == 0 ? NextShard() : steering_.OwnerOfPort(port);
}

uint32_t CommandRouter::ShardFor(const command::Ping&) { return NextShard(); }

uint32_t CommandRouter::ShardFor(const command::ListSockets& c) {
  return Existing(SocketId::ShardOf(c.cursor));
}

template <typename C>
uint32_t CommandRouter::ShardFor(const C& c) {
  if constexpr (NamesASocket<C>) {
    return Existing(c.socket.shard());
  } else {
    static_assert(Tour::kIsFor<C>);
    return 0;  // where tours begin
  }
}

// An invented id is nobody's: any shard can say so.
uint32_t CommandRouter::Existing(uint32_t shard) const {
  return shard < steering_.count() ? shard : 0;
}

uint32_t CommandRouter::NextShard() {
  return next_shard_.fetch_add(1, std::memory_order_relaxed) %
         steering_.count();
}

}  // namespace tcpip
