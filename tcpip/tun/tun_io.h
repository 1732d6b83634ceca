// TunIo: the system calls a TUN device needs, and nothing more. The seam at
// which tests put a kernel that refuses, truncates or runs out of buffers.
//
// Every call returns a count or 0, or -errno; none blocks and none is retried
// here. One object is one open device: it owns its descriptors (close-on-exec
// [fault L18]) and closes them when it goes. Used by tun_device and tun_queue.
#ifndef TCPIP_TUN_TUN_IO_H_
#define TCPIP_TUN_TUN_IO_H_

#include <net/if.h>
#include <sys/types.h>
#include <sys/uio.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace tcpip {

class TunIo {
 public:
  virtual ~TunIo() = default;

  // Opens /dev/net/tun. Once per object, or Adopt instead.
  virtual int Open() = 0;
  // Takes over an open descriptor of /dev/net/tun.
  virtual int Adopt(int fd) = 0;

  // An ioctl on the device file: TUNSETIFF and its kin.
  virtual int TunIoctl(unsigned long request, void* argument) = 0;
  // An ioctl on the network device named in `request_data`: SIOCGIFMTU...
  virtual int InterfaceIoctl(unsigned long request, ifreq& request_data) = 0;

  virtual ssize_t Read(std::span<const iovec> to) = 0;
  virtual ssize_t Write(std::span<const iovec> from) = 0;

  virtual int fd() const = 0;

  // Who else holds the device of that name, or nothing; see tun_proc.
  virtual std::string Holder(const std::string& device) = 0;
  // Packets the kernel dropped because the queue towards us was full.
  virtual uint64_t Drops(const std::string& device) const = 0;
};

// The real one.
std::unique_ptr<TunIo> KernelTunIo();

}  // namespace tcpip

#endif  // TCPIP_TUN_TUN_IO_H_
