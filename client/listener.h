// Listener: a listening TCP socket of a netstack. Destroying it closes the
// socket; accepted streams live on.
#ifndef CLIENT_LISTENER_H_
#define CLIENT_LISTENER_H_

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/support/sync_stream.h>

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/stream.h"
#include "client/timeout.h"
#include "service/netstack.grpc.pb.h"

namespace netstack {

class Listener {
 public:
  // DEADLINE_EXCEEDED when the daemon does not answer in time.
  static absl::StatusOr<std::unique_ptr<Listener>> Open(
      std::shared_ptr<grpc::Channel> channel, const v1::ListenRequest& request,
      Timeout timeout = {});
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  // The next connection. From any thread; each gets another one.
  // DEADLINE_EXCEEDED when none came in time, CANCELLED after Close.
  absl::StatusOr<Stream> Accept(Timeout timeout = {});

  // Stops listening and wakes Accept. From any thread.
  void Close();

  const std::string& local() const { return local_; }

 private:
  explicit Listener(std::shared_ptr<grpc::Channel> channel)
      : channel_(std::move(channel)), stub_(v1::Sockets::NewStub(channel_)) {}
  absl::Status WaitListening(Timeout timeout);
  void ReadLoop();

  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<v1::Sockets::Stub> stub_;
  grpc::ClientContext context_;
  std::unique_ptr<grpc::ClientReader<v1::ListenEvent>> reader_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::string local_;                  // set before Open returns, never again
  std::deque<v1::Incoming> waiting_;   // guarded by mutex_; the daemon's
                                       // backlog holds what passes kReadAhead
  std::optional<absl::Status> ended_;  // guarded by mutex_
  std::thread reading_;
};

}  // namespace netstack

#endif  // CLIENT_LISTENER_H_
