// Getting hold of a TUN device: TUNSETIFF and what the kernel answers to it,
// in words that say what to do. Called by tun_device, which sets up what was
// attached; knows no offloads, addresses or packets.
#ifndef TCPIP_TUN_TUN_ATTACH_H_
#define TCPIP_TUN_TUN_ATTACH_H_

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tcpip/tun/tun_io.h"

namespace tcpip {

// "tun device nst0: cannot open /dev/net/tun: ENOENT; <remedy>". `error` may be
// 0, `remedy` empty.
absl::Status TunFailure(absl::StatusCode code, absl::string_view device,
                        absl::string_view what, int error,
                        absl::string_view remedy);

// UNAVAILABLE: `holder`, or some process when that is empty, has the device.
absl::Status DeviceInUse(absl::string_view device, absl::string_view what,
                         absl::string_view holder);

// INVALID_ARGUMENT, saying why, when no interface can be called `name`.
absl::Status CheckTunName(absl::string_view name);

// A request about the interface of that name.
ifreq RequestFor(absl::string_view name);
bool InterfaceExists(TunIo& io, absl::string_view name);
// nullopt when we see none of that name: it is gone, or in another namespace.
std::optional<bool> IsInterfaceUp(TunIo& io, absl::string_view name);

struct TunAttachment {
  std::string name;          // as the kernel calls it
  unsigned short flags = 0;  // IFF_TUN and its kin

  bool vnet_header() const;
};

// Opens /dev/net/tun and attaches it to `name`, which is made when there is no
// such device. Without the header where the kernel does not know it.
// A device made with several queues is taken by one as well.
absl::StatusOr<TunAttachment> AttachTun(TunIo& io, const std::string& name,
                                        bool vnet_header, bool multi_queue);

// What a descriptor that somebody passed us is attached to.
absl::StatusOr<TunAttachment> AdoptTun(TunIo& io, int fd);

// The same descriptor anew after its device was deleted, if there is one of
// that name again; never makes one. NOT_FOUND while there is none, else errors
// as AttachTun. One queue takes a device made with several, too.
absl::Status ReattachTun(TunIo& io, TunAttachment& attachment);

}  // namespace tcpip

#endif  // TCPIP_TUN_TUN_ATTACH_H_
