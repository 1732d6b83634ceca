// Opening a TUN device: a new one of our own, one that an administrator made
// (persistent, no capability needed), or a descriptor somebody passed us.
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
// is tun_queue). One queue.
#ifndef TCPIP_TUN_TUN_DEVICE_H_
#define TCPIP_TUN_TUN_DEVICE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tcpip/tun/tun_io.h"

namespace tcpip {

struct TunOptions {
  std::string name = "nst0";  // at most 15 bytes; "nst%d": the kernel counts
  std::optional<int> fd =
      std::nullopt;         // adopt this descriptor; `name` is not used
  bool must_exist = false;  // never make a device, only attach to one
  bool offload = true;      // false: plain packets both ways [fault L05]
  uint32_t mtu = 0;         // 0: leave and ask the device
  // The kernel's queue towards us; 0: leave. It holds a window of 4 MiB, the
  // receive buffer of a socket, even in single packets.
  uint32_t tx_queue_packets = 4096;
  bool bring_up = false;
};

// An open device. Closing it (destroying `io`) removes a device that is not
// persistent.
struct TunDevice {
  std::unique_ptr<TunIo> io;
  std::string name;
  uint32_t mtu = 1500;
  bool created = false;      // it did not exist before
  bool vnet_header = false;  // every packet has a virtio-net header in front
  bool offload = false;      // checksums and TCP segmentation, both ways
};

// INVALID_ARGUMENT, saying why, when no interface can be called `name`.
absl::Status CheckTunName(absl::string_view name);

absl::StatusOr<TunDevice> OpenTun(const TunOptions& options,
                                  std::unique_ptr<TunIo> io = KernelTunIo());

}  // namespace tcpip

#endif  // TCPIP_TUN_TUN_DEVICE_H_
