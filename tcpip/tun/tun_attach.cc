#include "tcpip/tun/tun_attach.h"

#include <linux/if_tun.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sys/ioctl.h>

#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"

namespace tcpip {
namespace {

constexpr unsigned kPlain = IFF_TUN | IFF_NO_PI;

absl::string_view ErrnoName(int error) {
  const char* name = strerrorname_np(error);
  return name != nullptr ? name : "unknown error";
}

absl::Status OpenFailure(absl::string_view name, int error) {
  constexpr absl::string_view kWhat = "cannot open /dev/net/tun";
  switch (error) {
    case ENOENT:
    case ENODEV:
    case ENXIO:
      return TunFailure(absl::StatusCode::kNotFound, name, kWhat, error,
                        "load the module (modprobe tun) or pass /dev/net/tun "
                        "into the container");
    case EACCES:
    case EPERM:
      return TunFailure(absl::StatusCode::kPermissionDenied, name, kWhat, error,
                        "allow this user to open it (mode 0666 is usual)");
    default:
      return TunFailure(absl::StatusCode::kUnavailable, name, kWhat, error, "");
  }
}

absl::Status AttachFailure(TunIo& io, const std::string& name, bool multi_queue,
                           int error) {
  constexpr absl::string_view kWhat = "cannot attach";
  switch (error) {
    case EPERM:
    case EACCES:
      return TunFailure(absl::StatusCode::kPermissionDenied, name, kWhat, error,
                        absl::StrCat("needs CAP_NET_ADMIN, or a device made "
                                     "for this user: ip tuntap add dev ",
                                     name, " mode tun user $USER && ip link ",
                                     "set ", name, " up"));
    case EBUSY:
      return DeviceInUse(name, kWhat, io.Holder(name));
    case E2BIG:
      return TunFailure(absl::StatusCode::kFailedPrecondition, name, kWhat,
                        error, "it has as many queues as there can be");
    case EINVAL:
    case EEXIST:
      return TunFailure(
          absl::StatusCode::kFailedPrecondition, name, kWhat, error,
          multi_queue
              ? absl::StrCat("an interface of this name exists and is not a "
                             "TUN device for several queues; use one queue, or "
                             "make it anew: ip tuntap add dev ",
                             name, " mode tun multi_queue")
              : "an interface of this name exists and is not a TUN device; "
                "choose another name");
    default:
      return TunFailure(absl::StatusCode::kUnavailable, name, kWhat, error, "");
  }
}

int SetInterface(TunIo& io, const std::string& name, unsigned flags,
                 TunAttachment& attachment) {
  ifreq request = RequestFor(name);
  request.ifr_flags = static_cast<short>(flags);
  const int result = io.TunIoctl(TUNSETIFF, &request);
  if (result < 0) return result;
  attachment = {request.ifr_name, static_cast<unsigned short>(flags)};
  return 0;
}

}  // namespace

absl::Status TunFailure(absl::StatusCode code, absl::string_view device,
                        absl::string_view what, int error,
                        absl::string_view remedy) {
  std::string text = absl::StrCat("tun device ", device, ": ", what);
  if (error != 0) absl::StrAppend(&text, ": ", ErrnoName(error));
  if (!remedy.empty()) absl::StrAppend(&text, "; ", remedy);
  return absl::Status(code, text);
}

absl::Status DeviceInUse(absl::string_view device, absl::string_view what,
                         absl::string_view holder) {
  return TunFailure(
      absl::StatusCode::kUnavailable, device, what, EBUSY,
      absl::StrCat(holder.empty() ? "another process" : holder,
                   " holds the device; stop it or choose another name"));
}

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
  return TunFailure(absl::StatusCode::kInvalidArgument,
                    absl::StrCat("\"", name, "\""), "not an interface name", 0,
                    "use 1 to 15 bytes without '/', ':' and blanks, at most "
                    "one \"%d\"");
}

ifreq RequestFor(absl::string_view name) {
  ifreq request = {};
  name.copy(request.ifr_name, IFNAMSIZ - 1);
  return request;
}

bool InterfaceExists(TunIo& io, absl::string_view name) {
  ifreq request = RequestFor(name);
  return io.InterfaceIoctl(SIOCGIFINDEX, request) == 0;
}

std::optional<bool> IsInterfaceUp(TunIo& io, absl::string_view name) {
  ifreq request = RequestFor(name);
  if (io.InterfaceIoctl(SIOCGIFFLAGS, request) < 0) return std::nullopt;
  return (request.ifr_flags & IFF_UP) != 0;
}

bool TunAttachment::vnet_header() const { return (flags & IFF_VNET_HDR) != 0; }

absl::StatusOr<TunAttachment> AttachTun(TunIo& io, const std::string& name,
                                        bool vnet_header, bool multi_queue) {
  if (int r = io.Open(); r < 0) return OpenFailure(name, -r);
  const unsigned queues = multi_queue ? IFF_MULTI_QUEUE : 0;
  TunAttachment attachment;
  int result = -EINVAL;
  for (unsigned header : {unsigned{IFF_VNET_HDR}, 0u}) {
    if (header != 0 && !vnet_header) continue;
    result = SetInterface(io, name, kPlain | header | queues, attachment);
    if (result == -EINVAL && !multi_queue) {
      result =
          SetInterface(io, name, kPlain | header | IFF_MULTI_QUEUE, attachment);
    }
    if (result != -EINVAL) break;
  }
  if (result < 0) return AttachFailure(io, name, multi_queue, -result);
  return attachment;
}

absl::StatusOr<TunAttachment> AdoptTun(TunIo& io, int fd) {
  const std::string given = absl::StrCat("fd ", fd);
  if (int r = io.Adopt(fd); r < 0) {
    return TunFailure(absl::StatusCode::kFailedPrecondition, given,
                      "not usable", -r,
                      "pass an open descriptor of /dev/net/tun");
  }
  ifreq request = {};
  if (int r = io.TunIoctl(TUNGETIFF, &request); r < 0) {
    return TunFailure(absl::StatusCode::kFailedPrecondition, given,
                      "not an attached TUN device", -r,
                      "pass a descriptor of /dev/net/tun after TUNSETIFF");
  }
  const TunAttachment attachment = {
      request.ifr_name, static_cast<unsigned short>(request.ifr_flags)};
  const bool tap = (attachment.flags & IFF_TAP) != 0;
  if (!tap && (attachment.flags & IFF_NO_PI) != 0) return attachment;
  return TunFailure(absl::StatusCode::kFailedPrecondition, attachment.name,
                    tap ? "is a TAP device" : "was opened without IFF_NO_PI", 0,
                    "pass a TUN device opened with IFF_TUN | IFF_NO_PI");
}

absl::Status ReattachTun(TunIo& io, TunAttachment& attachment) {
  const std::string name = attachment.name;
  if (!InterfaceExists(io, name)) {
    return TunFailure(absl::StatusCode::kNotFound, name, "is gone", 0, "");
  }
  const unsigned flags = attachment.flags;
  const bool multi_queue = (flags & IFF_MULTI_QUEUE) != 0;
  int result = SetInterface(io, name, flags, attachment);
  if (result == -EINVAL && !multi_queue) {
    result = SetInterface(io, name, flags | IFF_MULTI_QUEUE, attachment);
  }
  if (result == 0) return absl::OkStatus();
  if (result != -EINVAL) return AttachFailure(io, name, multi_queue, -result);
  return TunFailure(
      absl::StatusCode::kFailedPrecondition, name,
      multi_queue ? "exists again but is not a multi-queue TUN"
                  : "exists again but is not a TUN",
      0,
      absl::StrCat("make it with ip tuntap add dev ", name, " mode tun",
                   multi_queue ? " multi_queue" : ""));
}

}  // namespace tcpip
