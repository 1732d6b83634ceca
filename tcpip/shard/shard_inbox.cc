#include "tcpip/shard/shard_inbox.h"

#include <utility>
#include <variant>

#include "tcpip/shard/errors.h"

namespace tcpip {
namespace {

// Refused, these would leave a socket behind that nobody knows; they are no
// more than sockets and waiting commands.
bool GivesUp(const command::Body& body) {
  return std::holds_alternative<command::Close>(body) ||
         std::holds_alternative<command::Abort>(body) ||
         std::holds_alternative<command::Cancel>(body);
}

}  // namespace

absl::Status ShardInbox::Post(Command&& command) {
  const bool taken = GivesUp(command.body)
                         ? commands.Push(std::move(command))
                         : commands.TryPush(std::move(command));
  if (taken) return absl::OkStatus();
  if (commands.closed()) return NotTakenAfterStop();
  return absl::ResourceExhaustedError("the shard's mailbox is full");
}

ShardInboxes MakeInboxes(uint32_t count, size_t max_queued_commands,
                         size_t handed_over_bytes) {
  ShardInboxes inboxes;
  for (uint32_t i = 0; i < count; ++i) {
    inboxes.push_back(
        std::make_unique<ShardInbox>(max_queued_commands, handed_over_bytes));
  }
  return inboxes;
}

}  // namespace tcpip
