// QueueSwitch: in memory, what stands between two hosts that have several
// queues each: the kernel that decides on which of the receiver's queues a
// packet comes in. It learns, as the kernel's TUN driver does, on which queue a
// flow was last sent; or moves it, see Queueing.
//
// No delay and no loss: a full queue makes its writer wait. Whoever is asked
// for in IsNowhere() is unreachable: a "router" says so, on whichever queue.
#ifndef TESTS_SHARDS_QUEUE_SWITCH_H_
#define TESTS_SHARDS_QUEUE_SWITCH_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "tcpip/base/rng.h"
#include "tcpip/buffer/packet.h"
#include "tcpip/link/link.h"
#include "tcpip/shard/mailbox.h"
#include "tcpip/wire/address.h"

namespace tcpip {

enum class Queueing : uint8_t {
  kLearned,  // where the flow was last sent from; a new flow on any
  kMoving,   // the same, and all flows move on every few packets
  kRandom,   // each packet on any queue
};

class QueueSwitch {
 public:
  // Hosts, and how many queues each has.
  static constexpr size_t kHosts = 2;
  QueueSwitch(const std::array<size_t, kHosts>& queues, Queueing queueing,
              const LinkCapabilities& capabilities, uint64_t seed);

  // The queues of a host, once. The switch outlives them.
  std::vector<std::unique_ptr<Link>> TakeLinks(size_t host);

  // A prefix without hosts, 192.0.2.0/24.
  static bool IsNowhere(const IpAddress& address);

 private:
  class Queue;
  struct Frame {
    std::vector<uint8_t> bytes;
    Offload offload;
  };
  using Flow = std::pair<IpEndpoint, IpEndpoint>;  // lower end first

  // False when the queue it is for is full.
  bool Carry(size_t from_host, size_t from_queue, const Packet& packet);
  size_t QueueFor(size_t host, const Flow& flow);  // mutex_ held

  const Queueing queueing_;
  const LinkCapabilities capabilities_;
  std::array<std::vector<std::unique_ptr<Mailbox<Frame>>>, kHosts> queues_;
  std::mutex mutex_;
  SeededRng rng_;                                       // guarded by mutex_
  std::array<std::map<Flow, size_t>, kHosts> learned_;  // guarded by mutex_
  uint64_t carried_ = 0;                                // guarded by mutex_
};

}  // namespace tcpip

#endif  // TESTS_SHARDS_QUEUE_SWITCH_H_
