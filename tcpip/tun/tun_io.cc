#include "tcpip/tun/tun_io.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

#include "tcpip/tun/tun_proc.h"

namespace tcpip {
namespace {

template <typename T>
T OrErrno(T result) {
  return result < 0 ? -errno : result;
}

class Kernel final : public TunIo {
 public:
  ~Kernel() override {
    if (fd_ >= 0) close(fd_);
    if (socket_ >= 0) close(socket_);
  }

  int Open() override {
    fd_ = OrErrno(open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC));
    return fd_ < 0 ? fd_ : 0;
  }

  int Adopt(int fd) override {
    const int flags = fcntl(fd, F_GETFL);
    if (flags < 0) return -errno;
    if (fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0) return -errno;
    if (fcntl(fd, F_SETFD, FD_CLOEXEC) < 0) return -errno;
    fd_ = fd;
    return 0;
  }

  int TunIoctl(unsigned long request, void* argument) override {
    return OrErrno(ioctl(fd_, request, argument));
  }

  int InterfaceIoctl(unsigned long request, ifreq& request_data) override {
    if (socket_ < 0) socket_ = OrErrno(OpenControlSocket());
    if (socket_ < 0) return socket_;
    return OrErrno(ioctl(socket_, request, &request_data));
  }

  ssize_t Read(std::span<const iovec> to) override {
    return OrErrno(readv(fd_, to.data(), static_cast<int>(to.size())));
  }

  ssize_t Write(std::span<const iovec> from) override {
    return OrErrno(writev(fd_, from.data(), static_cast<int>(from.size())));
  }

  int fd() const override { return fd_; }

  std::string Holder(const std::string& device) override {
    return FindTunHolder(device);
  }
  uint64_t Drops(const std::string& device) const override {
    return TunDrops(device);
  }

 private:
  // Any datagram socket reaches the interfaces; a kernel may lack IPv4.
  static int OpenControlSocket() {
    const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    return fd >= 0 ? fd : socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  }

  int fd_ = -1;
  int socket_ = -1;
};

}  // namespace

std::unique_ptr<TunIo> KernelTunIo() { return std::make_unique<Kernel>(); }

}  // namespace tcpip
