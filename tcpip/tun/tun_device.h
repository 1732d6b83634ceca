// Opening a TUN device: a new one of our own, one that an administrator made
// (persistent, no capability needed), or a descriptor somebody passed us; with
// one queue or several, each of which is a TunDevice here.
//
// Asks for a virtio-net header with checksum and TCP segmentation offload and
// settles for less where the kernel refuses. Failures say which device, what
// the kernel said and what to do; a caller maps their codes to exit codes:
//   NOT_FOUND            no /dev/net/tun, or the device must exist and does not
//   PERMISSION_DENIED    no right to open the file or to make the device
//   UNAVAILABLE          another process holds the device
//   FAILED_PRECONDITION  not a TUN device, or one whose flags do not suit us
//   INVALID_ARGUMENT     a name no interface can have
// Does not assign addresses or routes; does not read or write packets (that
// is tun_queue).
#ifndef TCPIP_TUN_TUN_DEVICE_H_
#define TCPIP_TUN_TUN_DEVICE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tcpip/link/link.h"
#include "tcpip/tun/tun_attach.h"
#include "tcpip/tun/tun_io.h"

namespace tcpip {

struct TunOptions {
  std::string name = "nst0";  // at most 15 bytes; "nst%d": the kernel counts
  std::optional<int> fd =
      std::nullopt;         // adopt this descriptor; `name` is not used
  bool must_exist = false;  // never make a device, only attach to one
  bool offload = true;      // false: plain packets both ways [fault L05]
  uint32_t mtu = 0;         // 0: leave and ask the device
  // The kernel's queue towards us, at least, where we may set it; 0: leave. It
  // holds a window of 4 MiB, the receive buffer of a socket, even in single
  // packets.
  uint32_t tx_queue_packets = 4096;
  bool bring_up = false;
};

// One queue of an open device. Closing them all (destroying `io`) removes a
// device that is not persistent.
struct TunDevice {
  std::unique_ptr<TunIo> io;
  TunOptions options;        // what was asked for
  TunAttachment attachment;  // and what it is
  uint32_t mtu = 1500;
  bool created = false;  // it did not exist before
  LinkOffloads rx = {};  // what the kernel may leave to us
  LinkOffloads tx = {};  // what we may leave to the kernel

  const std::string& name() const { return attachment.name; }
};

absl::StatusOr<TunDevice> OpenTun(const TunOptions& options,
                                  std::unique_ptr<TunIo> io = KernelTunIo());

// `count` queues of the device `options` speaks of. The kernel spreads flows
// over them: one comes back by the queue that last sent to it.
using MakeTunIo = std::function<std::unique_ptr<TunIo>()>;
absl::StatusOr<std::vector<TunDevice>> OpenTunQueues(
    const TunOptions& options, size_t count,
    const MakeTunIo& make_io = KernelTunIo);

// The same for passed descriptors, which must be queues of one device.
absl::StatusOr<std::vector<TunDevice>> AdoptTunQueues(
    const TunOptions& options, std::span<const int> fds,
    const MakeTunIo& make_io = KernelTunIo);

// Asks for the MTU anew, which an administrator may have changed.
void RefreshTun(TunDevice& device);

// The device was deleted: attaches to one of its name, if there is one again,
// and sets it up as OpenTun did, as far as we may. Errors as ReattachTun.
absl::Status ReopenTun(TunDevice& device);

}  // namespace tcpip

#endif  // TCPIP_TUN_TUN_DEVICE_H_
