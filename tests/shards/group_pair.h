// GroupPair: two groups of shards, joined by a QueueSwitch, and a client of
// each. Host 0 is 10.1.0.1 and 2001:db8::1, host 1 is 10.1.0.2 and 2001:db8::2.
#ifndef TESTS_SHARDS_GROUP_PAIR_H_
#define TESTS_SHARDS_GROUP_PAIR_H_

#include <array>
#include <cstddef>
#include <memory>

#include "tcpip/link/link.h"
#include "tcpip/shard/command.h"
#include "tcpip/shard/shard_group.h"
#include "tcpip/stack/stats.h"
#include "tcpip/testing/waiting_client.h"
#include "tcpip/wire/address.h"
#include "tests/shards/queue_switch.h"

namespace tcpip {

class GroupPair {
 public:
  GroupPair(const std::array<size_t, 2>& queues, Queueing queueing,
            const LinkCapabilities& capabilities);

  ShardGroup& group(size_t host) { return *groups_[host]; }
  WaitingClient& client(size_t host) { return *clients_[host]; }
  StackStats StatsOf(size_t host);

 private:
  QueueSwitch switch_;
  std::array<std::unique_ptr<ShardGroup>, 2> groups_;
  std::array<std::unique_ptr<WaitingClient>, 2> clients_;
};

}  // namespace tcpip

#endif  // TESTS_SHARDS_GROUP_PAIR_H_
