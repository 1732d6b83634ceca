// The kernel's side of a test: a network namespace of our own, addresses on
// its end of the TUN device, and sockets that never hang.
//
// Everything that can be impossible on a machine returns a Status that says
// why; a test then skips with that reason.
#ifndef TESTS_TUN_KERNEL_NET_H_
#define TESTS_TUN_KERNEL_NET_H_

#include <sys/socket.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tcpip/base/bytes.h"
#include "tcpip/wire/address.h"

namespace tcpip {

// Moves this process (it has one thread yet) into a fresh network namespace,
// through a user namespace where it may not make one; loopback is up.
absl::Status EnterOwnNetwork();

// Adds an address to the kernel's end of `device`.
absl::Status AddKernelAddress(const std::string& device, const Cidr& address);

// What an administrator does to a device.
absl::Status SetDeviceUp(const std::string& device, bool up);
absl::Status SetDeviceMtu(const std::string& device, int mtu);
// One that outlives whoever opens it.
absl::Status MakeTunDevice(const std::string& device, bool multi_queue);
absl::Status DeleteDevice(const std::string& device);
// Makes the kernel a router that sends packets to `destination` back out of
// `device`, those of up to `mtu` bytes: it reports the larger ones.
absl::Status RouteThroughKernel(const std::string& device,
                                const Cidr& destination, uint32_t mtu);

struct KernelAddress {
  sockaddr_storage storage = {};
  socklen_t size = 0;

  explicit KernelAddress(const IpEndpoint& endpoint);
  const sockaddr* get() const {
    return reinterpret_cast<const sockaddr*>(&storage);
  }
};

// An owned kernel socket. Calls that wait give up after some seconds.
class KernelSocket {
 public:
  KernelSocket() = default;
  explicit KernelSocket(int fd);
  KernelSocket(KernelSocket&& other) noexcept
      : fd_(std::exchange(other.fd_, -1)) {}
  KernelSocket& operator=(KernelSocket&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~KernelSocket() { Close(); }

  static KernelSocket Make(IpFamily family, int type, int protocol = 0);
  static KernelSocket Listening(const IpEndpoint& local);
  // A connected TCP socket; errno tells why it is not.
  static KernelSocket Connected(const IpEndpoint& remote);

  bool ok() const { return fd_ >= 0; }
  int fd() const { return fd_; }
  KernelSocket Accept();

  // False on any error; errno tells which.
  bool SendAll(ByteSpan bytes);
  // Up to `max` bytes; 0 at EOF, -1 on an error.
  ssize_t Recv(MutableByteSpan to);
  // Everything until EOF; false when it ended otherwise or is longer.
  bool RecvUntilEof(std::vector<uint8_t>& to, size_t max);
  // One message, cut to `to`, and each control message that came with it; its
  // size, or -1.
  ssize_t RecvMessage(MutableByteSpan to,
                      absl::FunctionRef<void(const cmsghdr&)> on_control) const;
  void ShutdownWrite();
  void Close();
  // Closes with a RST.
  void Reset();

 private:
  int fd_ = -1;
};

}  // namespace tcpip

#endif  // TESTS_TUN_KERNEL_NET_H_
