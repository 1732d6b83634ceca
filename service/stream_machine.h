// StreamMachine: the life of one Stream call, as a pure state machine. Events
// come in, a list of actions comes out; gRPC and the shard are the reactor's.
//
//   await open --open--> opening --opened--> open --both FINs--> closed
//                           |                  |--reset--------> closed
//                           '--refused---------+--bad request--> failed
//
// A lost connection is told after the data that came before, since a client
// that reads shall have it. One that waits to write may not read, and then
// hears nothing: once a request has failed, a client that takes nothing for a
// while is told by the status, past what it left unread.
//
// Bounds: one request is being read or carried out by the shard, one receive is
// pending or its bytes are being written; besides those only Opened, Eof, Reset
// and Closed may wait to be written. So back-pressure reaches both ends.
#ifndef SERVICE_STREAM_MACHINE_H_
#define SERVICE_STREAM_MACHINE_H_

#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/status.h>

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "service/claims.h"
#include "service/netstack.pb.h"
#include "service/stream_codec.h"
#include "tcpip/base/time.h"
#include "tcpip/shard/command.h"
#include "tcpip/stack/socket_id.h"

namespace netstack::service {

class StreamMachine {
 public:
  // Which event the reply to a posted command becomes.
  enum class ReplyTo { kNobody, kOpen, kRequest, kReceive };

  struct Post {
    ReplyTo reply_to;
    tcpip::command::Body body;
  };

  // To be carried out in this order.
  struct Actions {
    std::vector<Post> posts;
    std::optional<std::string> redeem;      // answer with OnClaimed
    std::optional<grpc::ByteBuffer> write;  // answer with OnWritten
    bool read = false;                      // answer with OnRequest/OnNoMore
    bool cancel_open = false;  // the command of kOpen, if it still waits
    bool watch = false;        // answer with OnWatched in kUnreadGrace
    // Ends the call for the client, past all that waits to be sent.
    std::optional<grpc::Status> cut;
    std::optional<grpc::Status> finish;  // last
  };

  static constexpr tcpip::Duration kUnreadGrace = tcpip::Duration::Seconds(1);

  Actions OnStart();
  Actions OnRequest(absl::StatusOr<DecodedRequest> request);
  Actions OnNoMoreRequests();  // the client half-closed the call, or is gone
  Actions OnClaimed(std::optional<Claimed> claimed);
  Actions OnReply(ReplyTo to, tcpip::Reply reply);
  Actions OnWritten(bool ok);
  Actions OnWatched();
  // The client cancelled, or died.
  Actions OnCancel();

 private:
  enum class Phase { kAwaitOpen, kOpening, kOpen, kEnding, kEnded };

  void OnFirstRequest(const DecodedRequest& request, Actions& actions);
  void OnOpen(const v1::Open& open, Actions& actions);
  void OnOpened(tcpip::SocketId socket, const tcpip::FourTuple& tuple,
                Actions& actions);
  void OnLaterRequest(DecodedRequest request, Actions& actions);
  void OnOpenReply(const tcpip::Reply& reply, Actions& actions);
  void OnRequestReply(const tcpip::Reply& reply, Actions& actions);
  void OnReceiveReply(tcpip::Reply reply, Actions& actions);
  void CloseWrite(Actions& actions);
  void Receive(Actions& actions);
  // Says why and ends the call in good order.
  void EndWithReset(v1::Reset::Reason reason, Actions& actions);
  void EndIfBothClosed(Actions& actions);
  // Ends the call with an error; the peer sees RST.
  void Fail(const absl::Status& status, Actions& actions);
  void Write(grpc::ByteBuffer message, Actions& actions);
  void WriteNext(Actions& actions);

  Phase phase_ = Phase::kAwaitOpen;
  v1::SocketOptions options_;  // of the `open` that claims
  tcpip::tcp::SocketSettings settings_;
  std::optional<tcpip::SocketId> socket_;
  bool requests_ended_ = false;  // the client half-closed the call
  bool write_closed_ = false;    // the client will send no more
  bool read_closed_ = false;     // the peer will send no more
  // The last thing written was data, so that its end asks for more.
  bool receive_after_write_ = false;
  bool writing_ = false;
  bool client_took_ = false;  // something, since the last watch began
  absl::Status lost_;         // why a request failed, if one did
  std::deque<grpc::ByteBuffer> to_write_;
  std::optional<grpc::Status> finish_;  // once everything is written
};

}  // namespace netstack::service

#endif  // SERVICE_STREAM_MACHINE_H_
