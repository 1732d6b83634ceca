// CommandRouter: which shard of a group a command goes to.
//
// A command for a socket goes to the shard that its id names; what opens one to
// the shard that will own it, in turn where any may; what concerns all goes
// round (see Tour); a listener is one on every shard (see GroupListener).
// Knows inboxes only, no shard and no thread. Made by ShardGroup.
#ifndef TCPIP_SHARD_COMMAND_ROUTER_H_
#define TCPIP_SHARD_COMMAND_ROUTER_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "tcpip/base/siphash.h"
#include "tcpip/shard/command.h"
#include "tcpip/shard/group_listener.h"
#include "tcpip/shard/shard_inbox.h"
#include "tcpip/shard/tour.h"
#include "tcpip/stack/steering.h"

namespace tcpip {

class CommandRouter final : public CommandTarget {
 public:
  // One inbox for each shard; they outlive this. `key` is the shards' own, see
  // Steering. At most `max_pending_commands` accepts wait for one listener.
  CommandRouter(const ShardInboxes& inboxes, const SipHashKey& key,
                size_t max_pending_commands);

  absl::Status Post(Command&& command) override;

 private:
  // The group's listener that the command ends, if it does.
  std::shared_ptr<GroupListener> RemoveListener(const command::Body& body);

  uint32_t ShardFor(const command::TcpDial& c);
  uint32_t ShardFor(const command::TcpAccept& c);
  uint32_t ShardFor(const command::UdpOpen& c);
  uint32_t ShardFor(const command::Ping& c);
  uint32_t ShardFor(const command::ListSockets& c);
  template <typename C>
  uint32_t ShardFor(const C& c);
  uint32_t Existing(uint32_t shard) const;
  uint32_t NextShard();

  const Steering steering_;  // to ask for owners
  const ShardInboxes& inboxes_;
  GroupListeners listeners_;
  const Tour::Group tours_;
  std::atomic<uint32_t> next_shard_ = 0;
};

}  // namespace tcpip

#endif  // TCPIP_SHARD_COMMAND_ROUTER_H_
