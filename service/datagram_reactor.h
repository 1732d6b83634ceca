// DatagramReactor: one Datagrams call, one UDP socket. A datagram that cannot
// be sent, or that its peer refused, is answered by a DatagramError; datagrams
// that arrive while the client does not read wait in the socket's own bounded
// queue.
#ifndef SERVICE_DATAGRAM_REACTOR_H_
#define SERVICE_DATAGRAM_REACTOR_H_

#include <grpcpp/support/server_callback.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "service/netstack.pb.h"
#include "service/shard_client.h"

namespace netstack::service {

class DatagramReactor final
    : public grpc::ServerBidiReactor<v1::DatagramRequest, v1::DatagramResponse>,
      public std::enable_shared_from_this<DatagramReactor> {
 public:
  // `shard` outlives the call; `on_done` runs when it has ended.
  static DatagramReactor* Start(ShardClient& shard,
                                absl::AnyInvocable<void()> on_done);

 private:
  DatagramReactor(ShardClient& shard, absl::AnyInvocable<void()> on_done)
      : shard_(shard), on_done_(std::move(on_done)) {}

  void OnReadDone(bool ok) override;
  void OnWriteDone(bool ok) override;
  void OnCancel() override;
  void OnDone() override;

  void OnOpened(tcpip::Reply reply);
  void OnSent(const tcpip::Reply& reply);
  void OnReceived(tcpip::Reply reply);

  // What goes on when a message has been written.
  enum class Next : uint8_t { kNothing, kRead, kReceive };
  struct Outgoing {
    v1::DatagramResponse response;
    Next next;
  };

  // All with mutex_ held.
  void Open(const v1::DatagramOpen& open);
  void Send(const v1::Datagram& datagram);
  void Receive();
  void Write(v1::DatagramResponse response, Next next);
  void WriteError(const absl::Status& status, Next next);
  void WriteNext();
  void End(const grpc::Status& why);

  ShardClient& shard_;
  absl::AnyInvocable<void()> on_done_;
  std::mutex mutex_;
  std::optional<tcpip::SocketId> socket_;  // guarded by mutex_
  bool opening_ = false;                   // guarded by mutex_
  bool ended_ = false;                     // guarded by mutex_
  // The front is being written; at most opened, one for the reader and one for
  // the receiver.
  std::deque<Outgoing> to_write_;
  v1::DatagramRequest incoming_;  // gRPC's from StartRead to OnReadDone
  std::shared_ptr<DatagramReactor> self_;  // until OnDone
};

}  // namespace netstack::service

#endif  // SERVICE_DATAGRAM_REACTOR_H_
