// Stream: a TCP connection of a netstack, with blocking calls.
//
// One thread may read while another writes; two readers or two writers may not.
// Destroying a Stream ends the connection: orderly when both directions had
// been closed, else by a reset, as the kernel does for a killed process.
#ifndef CLIENT_STREAM_H_
#define CLIENT_STREAM_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/timeout.h"

namespace netstack {

class StreamCall;

class Stream {
 public:
  explicit Stream(std::unique_ptr<StreamCall> call);
  ~Stream();
  Stream(Stream&&) noexcept;
  Stream& operator=(Stream&&) noexcept;

  // Waits for data and copies up to to.size() bytes; 0 means the peer sends no
  // more. Errors: ABORTED reset, DEADLINE_EXCEEDED nothing within `timeout`
  // (the stream is as before), or what ended the call.
  absl::StatusOr<size_t> Read(std::span<uint8_t> to, Timeout timeout = {});

  // Hands all of `data` on; returns when the daemon's queues have room for
  // more. Errors: ABORTED reset, also when nobody reads; DEADLINE_EXCEEDED no
  // room within `timeout`; or what ended the call. After an error it is unknown
  // how much the peer got.
  absl::Status Write(std::span<const uint8_t> data, Timeout timeout = {});
  absl::Status Write(std::string_view data, Timeout timeout = {});

  // No more data from us: the peer sees the end, reading goes on.
  absl::Status CloseWrite(Timeout timeout = {});

  // Waits until both directions are finished; unread data is thrown away.
  absl::Status Finish(Timeout timeout = {});

  // The peer sees a reset. Wakes readers and writers.
  void Abort();

  const std::string& local() const;
  const std::string& remote() const;

 private:
  std::unique_ptr<StreamCall> call_;
};

}  // namespace netstack

#endif  // CLIENT_STREAM_H_
