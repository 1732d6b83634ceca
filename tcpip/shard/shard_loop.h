// ShardLoop: what a shard's thread runs, and all it owns. One turn is
//
//   sleep -> packets in -> commands -> timers -> ready sockets -> loopback
//         -> packets out
//
// with bounded work at each station; what is left over makes the next turn
// skip the sleep. A turn has one time, read when it begins: the arrival time of
// everything read in it. What the link does not take stays in order until it
// has room [fault P09]. Knows no thread: Shard makes one.
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
#include "tcpip/network/routes.h"
#include "tcpip/shard/command.h"
#include "tcpip/shard/command_processor.h"
#include "tcpip/shard/host.h"
#include "tcpip/shard/mailbox.h"
#include "tcpip/shard/poller.h"
#include "tcpip/shard/shard_config.h"
#include "tcpip/stack/stack.h"

namespace tcpip {

class ShardLoop {
 public:
  // All outlive the loop; `app` may be null.
  ShardLoop(const ShardConfig& config, Link& link, Mailbox<Command>& mailbox,
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

  // What the stack's two interfaces talk to.
  struct Links {
    SoftwareOffload link;
    Loopback loopback = Loopback();
  };

  bool Turn();  // false: the mailbox was closed
  void Sleep();
  void ReadLink();
  bool TakeMail();  // false: the mailbox was closed
  void RunCommands();
  void TellReadySockets();
  void PumpLoopback();
  void WriteLink();
  void ShutDown();
  // Drains into the port's link; false when the link is full.
  bool Write(Port& port);

  // Mail being worked through.
  struct Inbox {
    std::vector<Command> commands;
    size_t next = 0;
  };

  const ShardConfig& config_;
  // Declared early, destroyed late: everything below holds slabs.
  SlabPool pool_;
  HostRng rng_;
  Instant now_;
  Links links_;
  Stack stack_;
  CommandProcessor processor_;
  Port link_port_;
  Port loopback_port_;
  Mailbox<Command>& mailbox_;
  ShardApp* app_;
  Poller poller_;
  PacketBatch in_;
  Inbox inbox_;
  bool more_work_ = true;
};

}  // namespace tcpip

#endif  // TCPIP_SHARD_SHARD_LOOP_H_
