#include "cmd/netstackctl/pump.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

namespace netstack {
namespace {

constexpr size_t kBufferBytes = 256 * 1024;

// Until the end of `in`, an error, or `stop` becomes readable.
void PumpIn(Stream& stream, int in, int stop) {
  std::vector<uint8_t> buffer(kBufferBytes);
  for (;;) {
    pollfd fds[2] = {{in, POLLIN, 0}, {stop, POLLIN, 0}};
    if (poll(fds, 2, -1) < 0 && errno != EINTR) return;
    if (fds[1].revents != 0) return;
    if (fds[0].revents == 0) continue;
    const ssize_t n = read(in, buffer.data(), buffer.size());
    if (n <= 0) {
      (void)stream.CloseWrite();  // a failure shows on the other direction too
      return;
    }
    if (!stream.Write({buffer.data(), static_cast<size_t>(n)}).ok()) return;
  }
}

absl::Status WriteAll(int out, const uint8_t* data, size_t size) {
  while (size > 0) {
    const ssize_t n = write(out, data, size);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      return absl::UnknownError(std::string("cannot write to stdout: ") +
                                std::strerror(errno));
    }
    data += n;
    size -= static_cast<size_t>(n);
  }
  return absl::OkStatus();
}

absl::Status PumpOut(Stream& stream, int out) {
  std::vector<uint8_t> buffer(kBufferBytes);
  for (;;) {
    const absl::StatusOr<size_t> n = stream.Read(buffer);
    if (!n.ok()) return n.status();
    if (*n == 0) return absl::OkStatus();
    absl::Status status = WriteAll(out, buffer.data(), *n);
    if (!status.ok()) return status;
  }
}

}  // namespace

absl::Status Pump(Stream& stream, int in, int out) {
  const int stop = eventfd(0, EFD_CLOEXEC);
  std::thread inward([&] { PumpIn(stream, in, stop); });
  absl::Status status = PumpOut(stream, out);
  // Nobody watches a terminal for a peer that has said its last word; a file or
  // a pipe may hold an answer that is still to be sent.
  if (!status.ok() || isatty(in)) eventfd_write(stop, 1);
  if (!status.ok()) stream.Abort();
  inward.join();
  close(stop);
  if (!status.ok()) return status;
  (void)stream.CloseWrite();  // already closed when stdin had ended
  return stream.Finish(tcpip::Duration::Seconds(5));
}

}  // namespace netstack
