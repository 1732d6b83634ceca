// StreamCall: the gRPC side of a Stream. Payload goes out as slices and comes
// in as slices (raw byte buffers), never through a generated message.
//
// Bounded: one message is read ahead, one is being written. Once a write has
// failed the call is over at the other end, and all that is still to be read is
// in this process already: it is read to the end, which says why.
#ifndef CLIENT_STREAM_CALL_H_
#define CLIENT_STREAM_CALL_H_

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/client_callback.h>

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/stream_messages.h"
#include "client/timeout.h"
#include "service/netstack.pb.h"

namespace netstack {

class StreamCall final
    : public grpc::ClientBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer> {
 public:
  // Opens a stream and waits for `opened`.
  static absl::StatusOr<std::unique_ptr<StreamCall>> Open(
      const std::shared_ptr<grpc::Channel>& channel, const v1::Open& open,
      Timeout timeout);
  ~StreamCall() override;  // cancels what is unfinished and waits for gRPC

  absl::StatusOr<size_t> Read(std::span<uint8_t> to, Timeout timeout);
  absl::Status WriteData(std::span<const uint8_t> data, Timeout timeout);
  absl::Status CloseWrite(Timeout timeout);
  absl::Status WaitClosed(Timeout timeout);
  void Cancel();

  const std::string& local() const { return local_; }
  const std::string& remote() const { return remote_; }

 private:
  explicit StreamCall(const std::shared_ptr<grpc::Channel>& channel)
      : stub_(channel) {}

  void OnReadDone(bool ok) override;
  void OnWriteDone(bool ok) override;
  void OnDone(const grpc::Status& status) override;

  // All with mutex_ held.
  void TakeMessage(const grpc::ByteBuffer& message);
  absl::Status StartMessage(const grpc::ByteBuffer& message, Timeout timeout,
                            std::unique_lock<std::mutex>& lock);
  void ReadAhead();
  // Nobody wants what else comes.
  void Discard();
  bool IsOver() const { return heard_.reset.has_value() || done_.has_value(); }
  absl::Status WhyEnded() const;

  enum class Reading { kIdle, kBusy, kOver };  // kOver: nothing more will come
  enum class Sending { kOpen, kClosed, kBroken };
  // What the daemon said.
  struct Heard {
    bool opened = false;
    bool eof = false;     // the peer sends no more
    bool closed = false;  // the last word
    std::optional<v1::Reset::Reason> reset;
  };

  grpc::GenericStub stub_;
  grpc::ClientContext context_;
  std::string local_;   // constant after Open
  std::string remote_;  // constant after Open

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  // All below guarded by mutex_.
  grpc::ByteBuffer incoming_;  // gRPC's while reading_ is kBusy
  grpc::ByteBuffer outgoing_;  // gRPC's while writing_
  Reading reading_ = Reading::kIdle;
  bool writing_ = false;
  Sending sending_ = Sending::kOpen;
  Heard heard_;
  Payload payload_;  // read ahead
  bool discard_ = false;
  std::optional<grpc::Status> done_;  // gRPC is through with this call
};

}  // namespace netstack

#endif  // CLIENT_STREAM_CALL_H_
