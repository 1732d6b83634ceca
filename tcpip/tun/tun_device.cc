#include "tcpip/tun/tun_device.h"

#include <linux/if_tun.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sys/ioctl.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "tcpip/wire/virtio_net.h"

namespace tcpip {
namespace {

constexpr unsigned kOffloads = TUN_F_CSUM | TUN_F_TSO4 | TUN_F_TSO6;

ifreq RequestFor(absl::string_view name) {
  ifreq request = {};
  name.copy(request.ifr_name, IFNAMSIZ - 1);
  return request;
}

absl::string_view ErrnoName(int error) {
  const char* name = strerrorname_np(error);
  return name != nullptr ? name : "unknown error";
}

// "tun device nst0: cannot open /dev/net/tun: ENOENT; <remedy>"
absl::Status Failure(absl::StatusCode code, absl::string_view device,
                     absl::string_view what, int error,
                     absl::string_view remedy) {
  std::string text = absl::StrCat("tun device ", device, ": ", what);
  if (error != 0) absl::StrAppend(&text, ": ", ErrnoName(error));
  if (!remedy.empty()) absl::StrAppend(&text, "; ", remedy);
  return absl::Status(code, text);
}

absl::Status OpenFailure(absl::string_view name, int error) {
  constexpr absl::string_view kWhat = "cannot open /dev/net/tun";
  switch (error) {
    case ENOENT:
    case ENODEV:
    case ENXIO:
      return Failure(absl::StatusCode::kNotFound, name, kWhat, error,
                     "load the module (modprobe tun) or pass /dev/net/tun into "
                     "the container");
    case EACCES:
    case EPERM:
      return Failure(absl::StatusCode::kPermissionDenied, name, kWhat, error,
                     "allow this user to open it (mode 0666 is usual)");
    default:
      return Failure(absl::StatusCode::kUnavailable, name, kWhat, error, "");
  }
}

absl::Status AttachFailure(absl::string_view name, int error) {
  constexpr absl::string_view kWhat = "cannot attach";
  switch (error) {
    case EPERM:
    case EACCES:
      return Failure(absl::StatusCode::kPermissionDenied, name, kWhat, error,
                     absl::StrCat("needs CAP_NET_ADMIN, or a device made for "
                                  "this user: ip tuntap add dev ",
                                  name, " mode tun user $USER && ip link set ",
                                  name, " up"));
    case EBUSY:
      return Failure(absl::StatusCode::kUnavailable, name, kWhat, error,
                     "another process holds the device; stop it or choose "
                     "another name");
    case EINVAL:
    case EEXIST:
      return Failure(absl::StatusCode::kFailedPrecondition, name, kWhat, error,
                     "an interface of this name exists and is not a "
                     "single-queue TUN device; choose another name");
    default:
      return Failure(absl::StatusCode::kUnavailable, name, kWhat, error, "");
  }
}

bool Exists(TunIo& io, absl::string_view name) {
  ifreq request = RequestFor(name);
  return io.InterfaceIoctl(SIOCGIFINDEX, request) == 0;
}

// TUNSETIFF, without a header where the kernel does not know it.
absl::Status Attach(const TunOptions& options, TunDevice& device) {
  TunIo& io = *device.io;
  ifreq request = RequestFor(options.name);
  int result = -EINVAL;
  if (options.offload) {
    request.ifr_flags = IFF_TUN | IFF_NO_PI | IFF_VNET_HDR;
    result = io.TunIoctl(TUNSETIFF, &request);
    device.vnet_header = result == 0;
  }
  if (result == -EINVAL) {
    request = RequestFor(options.name);
    request.ifr_flags = IFF_TUN | IFF_NO_PI;
    result = io.TunIoctl(TUNSETIFF, &request);
  }
  if (result < 0) return AttachFailure(options.name, -result);
  device.name = request.ifr_name;
  return absl::OkStatus();
}

// What a passed descriptor is.
absl::Status Recognize(TunDevice& device) {
  ifreq request = {};
  const int result = device.io->TunIoctl(TUNGETIFF, &request);
  if (result < 0) {
    return Failure(absl::StatusCode::kFailedPrecondition, device.name,
                   "not an attached TUN device", -result,
                   "pass a descriptor of /dev/net/tun after TUNSETIFF");
  }
  device.name = request.ifr_name;
  const auto flags = static_cast<unsigned short>(request.ifr_flags);
  if ((flags & IFF_TAP) != 0 || (flags & IFF_NO_PI) == 0) {
    return Failure(absl::StatusCode::kFailedPrecondition, device.name,
                   (flags & IFF_TAP) != 0 ? "is a TAP device"
                                          : "was opened without IFF_NO_PI",
                   0, "pass a TUN device opened with IFF_TUN | IFF_NO_PI");
  }
  device.vnet_header = (flags & IFF_VNET_HDR) != 0;
  return absl::OkStatus();
}

absl::Status OpenOrAdopt(const TunOptions& options, TunDevice& device) {
  TunIo& io = *device.io;
  if (options.fd.has_value()) {
    device.name = absl::StrCat("fd ", *options.fd);
    const int result = io.Adopt(*options.fd);
    if (result == 0) return Recognize(device);
    return Failure(absl::StatusCode::kFailedPrecondition, device.name,
                   "not usable", -result,
                   "pass an open descriptor of /dev/net/tun");
  }
  if (absl::Status s = CheckTunName(options.name); !s.ok()) return s;
  if (int r = io.Open(); r < 0) return OpenFailure(options.name, -r);
  device.created = !Exists(io, options.name);
  if (device.created && options.must_exist) {
    return Failure(absl::StatusCode::kNotFound, options.name, "does not exist",
                   0,
                   absl::StrCat("make it: ip tuntap add dev ", options.name,
                                " mode tun user $USER"));
  }
  return Attach(options, device);
}

// Header size and offloads. A persistent device keeps what its last holder
// set, so that both are set even to their defaults.
absl::Status SetOffloads(bool wanted, TunDevice& device) {
  TunIo& io = *device.io;
  if (device.vnet_header) {
    int size = wire::kVirtioNetHeaderSize;
    if (int r = io.TunIoctl(TUNSETVNETHDRSZ, &size); r < 0) {
      return Failure(absl::StatusCode::kFailedPrecondition, device.name,
                     "cannot set the header size", -r, "turn offload off");
    }
    // The argument is the value itself, not a pointer to it.
    device.offload =
        wanted && io.TunIoctl(TUNSETOFFLOAD, reinterpret_cast<void*>(
                                                 uintptr_t{kOffloads})) == 0;
  }
  if (!device.offload) io.TunIoctl(TUNSETOFFLOAD, nullptr);
  return absl::OkStatus();
}

// `by_hand` is what an administrator types to do the same.
absl::Status SettingFailure(const TunDevice& device, absl::string_view what,
                            int error, absl::string_view by_hand) {
  const bool denied = error == EPERM || error == EACCES;
  return Failure(
      denied ? absl::StatusCode::kPermissionDenied
             : absl::StatusCode::kFailedPrecondition,
      device.name, what, error,
      denied ? absl::StrCat("needs CAP_NET_ADMIN, or before: ", by_hand) : "");
}

// Asks for an MTU the device does not have already; learns what it has. A
// passed descriptor may belong to a network namespace we do not see: its device
// then counts as one with the usual MTU.
absl::Status SetMtu(const TunOptions& options, TunDevice& device) {
  TunIo& io = *device.io;
  ifreq request = RequestFor(device.name);
  const int result = io.InterfaceIoctl(SIOCGIFMTU, request);
  if (result == 0) {
    device.mtu = static_cast<uint32_t>(request.ifr_mtu);
  } else if (!options.fd.has_value()) {
    return SettingFailure(device, "cannot read the MTU", -result, "");
  }
  if (options.mtu == 0 || options.mtu == device.mtu) return absl::OkStatus();
  request = RequestFor(device.name);
  request.ifr_mtu = static_cast<int>(options.mtu);
  if (int r = io.InterfaceIoctl(SIOCSIFMTU, request); r < 0) {
    return SettingFailure(
        device, absl::StrCat("cannot set MTU ", options.mtu), -r,
        absl::StrCat("ip link set ", device.name, " mtu ", options.mtu));
  }
  device.mtu = options.mtu;
  return absl::OkStatus();
}

// A user's own device needs no capability as long as nothing is to be changed.
absl::Status BringUp(TunDevice& device) {
  ifreq request = RequestFor(device.name);
  int result = device.io->InterfaceIoctl(SIOCGIFFLAGS, request);
  if (result == 0 && (request.ifr_flags & IFF_UP) != 0) return absl::OkStatus();
  request.ifr_flags |= IFF_UP;
  if (result == 0) result = device.io->InterfaceIoctl(SIOCSIFFLAGS, request);
  if (result == 0) return absl::OkStatus();
  return SettingFailure(device, "cannot bring up", -result,
                        absl::StrCat("ip link set ", device.name, " up"));
}

absl::Status SetUp(const TunOptions& options, TunDevice& device) {
  if (absl::Status s = SetMtu(options, device); !s.ok()) return s;
  if (options.tx_queue_packets != 0) {
    // Advice only: an administrator's device keeps its own length.
    ifreq request = RequestFor(device.name);
    request.ifr_qlen = static_cast<int>(options.tx_queue_packets);
    device.io->InterfaceIoctl(SIOCSIFTXQLEN, request);
  }
  return options.bring_up ? BringUp(device) : absl::OkStatus();
}

}  // namespace

absl::Status CheckTunName(absl::string_view name) {
  const size_t percent = name.find('%');
  const bool pattern_ok =
      percent == absl::string_view::npos ||
      (name.substr(percent, 2) == "%d" &&
       name.find('%', percent + 1) == absl::string_view::npos);
  if (!name.empty() && name.size() < IFNAMSIZ && name != "." && name != ".." &&
      pattern_ok && name.find_first_of("/: \t\n") == absl::string_view::npos) {
    return absl::OkStatus();
  }
  return Failure(absl::StatusCode::kInvalidArgument,
                 absl::StrCat("\"", name, "\""), "not an interface name", 0,
                 "use 1 to 15 bytes without '/', ':' and blanks, at most one "
                 "\"%d\"");
}

absl::StatusOr<TunDevice> OpenTun(const TunOptions& options,
                                  std::unique_ptr<TunIo> io) {
  TunDevice device;
  device.io = std::move(io);
  if (absl::Status s = OpenOrAdopt(options, device); !s.ok()) return s;
  if (absl::Status s = SetOffloads(options.offload, device); !s.ok()) return s;
  if (absl::Status s = SetUp(options, device); !s.ok()) return s;
  return device;
}

}  // namespace tcpip
