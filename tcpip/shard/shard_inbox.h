// ShardInbox: everything that waits for one shard, by whomever it was sent:
// commands of users, and packets that came in at other shards of its group.
// Shards of a group know each other by their inboxes and by nothing else.
#ifndef TCPIP_SHARD_SHARD_INBOX_H_
#define TCPIP_SHARD_SHARD_INBOX_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "tcpip/shard/command.h"
#include "tcpip/shard/mailbox.h"
#include "tcpip/shard/packet_box.h"

namespace tcpip {

struct ShardInbox {
  ShardInbox(size_t max_queued_commands, size_t handed_over_bytes)
      : commands(max_queued_commands), packets(handed_over_bytes) {}

  // RESOURCE_EXHAUSTED when full, UNAVAILABLE when closed; the command is
  // untouched then. Close, Abort and Cancel are taken by a full one too. Any
  // thread.
  absl::Status Post(Command&& command);

  Mailbox<Command> commands;
  PacketBox packets;
};

// Of all shards of a group, by index.
using ShardInboxes = std::vector<std::unique_ptr<ShardInbox>>;

ShardInboxes MakeInboxes(uint32_t count, size_t max_queued_commands,
                         size_t handed_over_bytes);

}  // namespace tcpip

#endif  // TCPIP_SHARD_SHARD_INBOX_H_
