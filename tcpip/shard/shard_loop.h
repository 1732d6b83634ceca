// ShardLoop: what a shard's thread runs, and all it owns. One turn is
//
//   sleep -> packets in, from other shards first -> commands -> timers
//         -> ready sockets -> loopback -> packets of other shards
//         -> packets out
//
// with bounded work at each station; what is left over makes the next turn
// skip the sleep. A turn has one time, read when it begins: the arrival time of
// everything read in it. What the link does not take stays in order until it
// has room [fault P09]. A shard of a group finds the others' inboxes beside its
// own. Knows no thread: Shard makes one.
#ifndef TCPIP_SHARD_SHARD_LOOP_H_
#define TCPIP_SHARD_SHARD_LOOP_H_

#include <cstddef>
#include <vector>

#include "tcpip/base/time.h"
#include "tcpip/buffer/packet.h"
#include "tcpip/buffer/slab.h"
#include "tcpip/link/link.h"
#include "tcpip/link/loopback.h"
#include "tcpip/link/software_offload.h"
#include "tcpip/network/interface_id.h"
#include "tcpip/shard/command.h"
#include "tcpip/shard/command_processor.h"
#include "tcpip/shard/device_news.h"
#include "tcpip/shard/host.h"
#include "tcpip/shard/immediate_commands.h"
#include "tcpip/shard/link_watch.h"
#include "tcpip/shard/mailbox.h"
#include "tcpip/shard/packet_box.h"
#include "tcpip/shard/poller.h"
#include "tcpip/shard/shard_config.h"
#include "tcpip/shard/shard_inbox.h"
#include "tcpip/stack/group_member.h"
#include "tcpip/stack/stack.h"

namespace tcpip {

// What the shards of a group have in common.
struct SharedByShards {
  SharedByShards(const ShardConfig& config, uint32_t shards,
                 DeviceObserver* observer);

  const ShardInboxes inboxes;
  DeviceNews news;
};

class ShardLoop {
 public:
  // All outlive the loop; `app` may be null. config.stack.steering.index() says
  // which of the group's inboxes and queues is the loop's own.
  ShardLoop(const ShardConfig& config, Link& link, SharedByShards& group,
            ShardApp* app);

  // Until the mailbox is closed; then resets every connection.
  void Run();

 private:
  // An interface with the packets its link has not taken yet.
  struct Port {
    Link& link;
    InterfaceId interface;
    PacketBatch out = {};
  };

  // The port of the device, which may change and be lost.
  struct TendedPort : Port {
    LinkWatch watch;
    LinkCapabilities capabilities;  // as the stack knows them
    LinkOffloads refused = {};      // as the owner knows them
    size_t read_max = 1;            // packets of a batch, up to batch_packets
  };

  // What the stack's two interfaces talk to.
  struct Links {
    SoftwareOffload link;
    Loopback loopback = Loopback();
  };

  bool Turn();   // false: the mailbox was closed
  void Sleep();  // or just looks, when there is more work
  Duration UntilDeadline();
  void TendLink();
  // Tells the stack what the link can do, where that is news.
  void FollowLink();
  void ReadLink();
  bool TakeMail();  // false: the mailbox was closed
  void RunCommands();
  // True when another shard must execute it, and will.
  bool PassOn(Command& command);
  void TellReadySockets();
  void PumpLoopback();
  // To and from the other shards of the group.
  void TakeHandedOver();
  void HandOver();
  void WriteLink();
  void ShutDown();
  // Drains into the port's link; false when the link is full.
  bool Write(Port& port);

  ShardInbox& inbox() const {
    return *group_.inboxes[config_.stack.steering.index()];
  }
  bool IsAlone() const { return group_.inboxes.size() == 1; }

  // What is being worked through.
  struct Work {
    PacketBatch in;  // from a link
    std::vector<Command> commands;
    size_t next = 0;
    PackedPackets packets;
    std::vector<HandedOverPacket> handed_over;  // to be sent
  };

  const ShardConfig& config_;
  // Declared early, destroyed late: everything below holds slabs.
  SlabPool pool_;
  HostRng rng_;
  Instant now_;
  LoopStats stats_;
  Links links_;
  Stack stack_;
  CommandProcessor processor_;
  TendedPort link_port_;
  Port loopback_port_;
  SharedByShards& group_;
  ShardApp* app_;
  Poller poller_;
  Work work_;
  bool more_work_ = true;
};

}  // namespace tcpip

#endif  // TCPIP_SHARD_SHARD_LOOP_H_
