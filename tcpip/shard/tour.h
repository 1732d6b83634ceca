// Tour: a command that concerns every shard of a group, on its way from one to
// the next. Each executes it, and its reply sends it on:
//
//   group --> shard 0 --reply--> shard 1 --reply--> ... --last reply--> user
//
// All tours begin at shard 0 and leave it in the order it executed them, so
// every shard changes its network in the same order, and what shard 0 refuses
// no other sees. Cancel goes round the same way: it cannot overtake a command
// that shard 0 passes on.
#ifndef TCPIP_SHARD_TOUR_H_
#define TCPIP_SHARD_TOUR_H_

#include <cstddef>
#include <memory>
#include <type_traits>
#include <vector>

#include "absl/status/status.h"
#include "tcpip/shard/command.h"
#include "tcpip/shard/group_listener.h"
#include "tcpip/shard/shard_inbox.h"
#include "tcpip/stack/socket_id.h"

namespace tcpip {

template <typename C, typename... Of>
concept OneOf = (std::is_same_v<C, Of> || ...);

// Commands that change the network of every shard alike.
template <typename C>
concept NetworkChange =
    OneOf<C, command::AddAddress, command::RemoveAddress, command::AddRoute,
          command::RemoveRoute, command::SetOffloads>;

class Tour final : public ReplySink, public std::enable_shared_from_this<Tour> {
 public:
  // What all tours of a group share; outlives them.
  struct Group {
    const ShardInboxes& inboxes;
    GroupListeners& listeners;
    size_t max_pending_commands;  // accepts that may wait for one listener
  };

  // Whether commands of this kind go round.
  template <typename C>
  static constexpr bool kIsFor =
      NetworkChange<C> || OneOf<C, command::TcpListen, command::GetStats,
                                command::GetNetwork, command::Cancel>;
  static bool IsFor(const command::Body& body);

  // Posts it to shard 0; an error as ShardInbox::Post.
  static absl::Status Begin(const Group& group, const Command& command);

  // From the shard where the tour is; on its thread.
  bool Push(Reply&& reply) override;

 private:
  Tour(const Group& group, const Command& command)
      : group_(group), command_(command) {}

  // Each takes what one shard answered into result_: shall the tour go on?
  bool Take(command::TcpListen& c, Reply&& reply);
  bool Take(command::GetStats& c, Reply&& reply);
  bool Take(command::GetNetwork& c, Reply&& reply);
  bool Take(command::Cancel& c, Reply&& reply);
  template <NetworkChange C>
  bool Take(C& c, Reply&& reply);

  template <typename Body>
  bool TakeJoined(Reply&& reply);

  Command ForNextShard();
  bool Finish();
  // Closes the listeners opened so far.
  void CloseListeners();

  const Group& group_;
  Command command_;  // the user's
  size_t visited_ = 0;
  Reply result_;
  std::vector<SocketId> listeners_;  // of a TcpListen
};

}  // namespace tcpip

#endif  // TCPIP_SHARD_TOUR_H_
