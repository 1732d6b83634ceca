#include "tcpip/tun/tun_device.h"

#include <linux/if_tun.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sys/ioctl.h>

#include <cassert>
#include <cerrno>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "tcpip/tun/tun_offload.h"

namespace tcpip {
namespace {

// Queues of one device that is opened: what the second must know of the first.
struct QueueRequest {
  bool multi_queue = false;
  const TunDevice* first = nullptr;  // null: this is it
};

absl::StatusOr<TunAttachment> Attach(const QueueRequest& request,
                                     TunDevice& device) {
  const TunOptions& options = device.options;
  TunIo& io = *device.io;
  if (options.fd.has_value()) return AdoptTun(io, *options.fd);
  if (request.first != nullptr) {
    device.created = request.first->created;
    return AttachTun(io, request.first->name(),
                     request.first->attachment.vnet_header(),
                     request.multi_queue);
  }
  if (absl::Status s = CheckTunName(options.name); !s.ok()) return s;
  device.created = !InterfaceExists(io, options.name);
  if (device.created && options.must_exist) {
    return TunFailure(absl::StatusCode::kNotFound, options.name,
                      "does not exist", 0,
                      absl::StrCat("make it: ip tuntap add dev ", options.name,
                                   " mode tun user $USER"));
  }
  // The kernel lets two processes share a device of several queues, and then
  // each misses half of its packets.
  if (const std::string holder = device.created ? "" : io.Holder(options.name);
      !holder.empty()) {
    return DeviceInUse(options.name, "is in use", holder);
  }
  return AttachTun(io, options.name, options.offload, request.multi_queue);
}

// Header and offloads. A persistent device keeps what its last holder set, so
// that all is set even to its default.
absl::Status SetOffloads(const TunDevice* first, TunDevice& device) {
  TunIo& io = *device.io;
  if (device.attachment.vnet_header()) {
    if (int r = SetVnetHeader(io); r < 0) {
      return TunFailure(absl::StatusCode::kFailedPrecondition, device.name(),
                        "cannot set the header", -r, "turn offload off");
    }
    if (device.options.offload && SetReceiveOffloads(io, kAllOffloads)) {
      device.rx = kAllOffloads;
      device.tx = first != nullptr
                      ? first->tx
                      : ProbeTransmitOffloads(io, device.name(), device.rx);
      return absl::OkStatus();
    }
  }
  SetReceiveOffloads(io, {});
  return absl::OkStatus();
}

// `by_hand` is what an administrator types to do the same.
absl::Status SettingFailure(const TunDevice& device, absl::string_view what,
                            int error, absl::string_view by_hand) {
  const bool denied = error == EPERM || error == EACCES;
  return TunFailure(
      denied ? absl::StatusCode::kPermissionDenied
             : absl::StatusCode::kFailedPrecondition,
      device.name(), what, error,
      denied ? absl::StrCat("needs CAP_NET_ADMIN, or before: ", by_hand) : "");
}

// 0 or -errno.
int ReadMtu(TunDevice& device) {
  ifreq request = RequestFor(device.name());
  const int result = device.io->InterfaceIoctl(SIOCGIFMTU, request);
  if (result == 0) device.mtu = static_cast<uint32_t>(request.ifr_mtu);
  return result;
}

// Asks for an MTU the device does not have already; learns what it has. A
// passed descriptor may belong to a network namespace we do not see: its device
// then counts as one with the usual MTU.
absl::Status SetMtu(TunDevice& device) {
  const uint32_t wanted = device.options.mtu;
  if (int r = ReadMtu(device); r < 0 && !device.options.fd.has_value()) {
    return SettingFailure(device, "cannot read the MTU", -r, "");
  }
  if (wanted == 0 || wanted == device.mtu) return absl::OkStatus();
  ifreq request = RequestFor(device.name());
  request.ifr_mtu = static_cast<int>(wanted);
  if (int r = device.io->InterfaceIoctl(SIOCSIFMTU, request); r < 0) {
    return SettingFailure(
        device, absl::StrCat("cannot set MTU ", wanted), -r,
        absl::StrCat("ip link set ", device.name(), " mtu ", wanted));
  }
  device.mtu = wanted;
  return absl::OkStatus();
}

// Advice only: whoever may not change it does without, and what an
// administrator has made longer stays so.
void RaiseQueueLength(TunDevice& device) {
  const auto wanted = static_cast<int>(device.options.tx_queue_packets);
  ifreq request = RequestFor(device.name());
  if (device.io->InterfaceIoctl(SIOCGIFTXQLEN, request) < 0 ||
      request.ifr_qlen >= wanted) {
    return;
  }
  request.ifr_qlen = wanted;
  device.io->InterfaceIoctl(SIOCSIFTXQLEN, request);
}

// A user's own device needs no capability as long as nothing is to be changed.
absl::Status BringUp(TunDevice& device) {
  if (!device.options.bring_up) return absl::OkStatus();
  ifreq request = RequestFor(device.name());
  int result = device.io->InterfaceIoctl(SIOCGIFFLAGS, request);
  if (result == 0 && (request.ifr_flags & IFF_UP) == 0) {
    request.ifr_flags = static_cast<short>(request.ifr_flags | IFF_UP);
    result = device.io->InterfaceIoctl(SIOCSIFFLAGS, request);
  }
  if (result == 0) return absl::OkStatus();
  return SettingFailure(device, "cannot bring up", -result,
                        absl::StrCat("ip link set ", device.name(), " up"));
}

absl::StatusOr<TunDevice> OpenQueue(const TunOptions& options,
                                    const QueueRequest& request,
                                    std::unique_ptr<TunIo> io) {
  TunDevice device;
  device.io = std::move(io);
  device.options = options;
  absl::StatusOr<TunAttachment> attachment = Attach(request, device);
  if (!attachment.ok()) return attachment.status();
  device.attachment = *std::move(attachment);
  if (absl::Status s = SetOffloads(request.first, device); !s.ok()) return s;
  if (absl::Status s = SetMtu(device); !s.ok()) return s;
  RaiseQueueLength(device);
  if (absl::Status s = BringUp(device); !s.ok()) return s;
  return device;
}

}  // namespace

absl::StatusOr<TunDevice> OpenTun(const TunOptions& options,
                                  std::unique_ptr<TunIo> io) {
  return OpenQueue(options, {}, std::move(io));
}

absl::StatusOr<std::vector<TunDevice>> OpenTunQueues(const TunOptions& options,
                                                     size_t count,
                                                     const MakeTunIo& make_io) {
  assert(count > 0);
  std::vector<TunDevice> queues;
  queues.reserve(count);
  while (queues.size() < count) {
    absl::StatusOr<TunDevice> queue =
        OpenQueue(options,
                  {.multi_queue = count > 1,
                   .first = queues.empty() ? nullptr : &queues.front()},
                  make_io());
    if (!queue.ok()) return queue.status();
    queues.push_back(*std::move(queue));
  }
  return queues;
}

absl::StatusOr<std::vector<TunDevice>> AdoptTunQueues(
    const TunOptions& options, std::span<const int> fds,
    const MakeTunIo& make_io) {
  assert(!fds.empty());
  std::vector<TunDevice> queues;
  queues.reserve(fds.size());
  for (int fd : fds) {
    TunOptions each = options;
    each.fd = fd;
    const TunDevice* const first = queues.empty() ? nullptr : &queues.front();
    absl::StatusOr<TunDevice> queue =
        OpenQueue(each, {.multi_queue = true, .first = first}, make_io());
    if (!queue.ok()) return queue.status();
    if (first != nullptr && queue->name() != first->name()) {
      return TunFailure(
          absl::StatusCode::kFailedPrecondition, first->name(),
          absl::StrCat("fd ", fd, " is a queue of ", queue->name()), 0,
          "pass queues of one device");
    }
    queues.push_back(*std::move(queue));
  }
  return queues;
}

void RefreshTun(TunDevice& device) { ReadMtu(device); }

absl::Status ReopenTun(TunDevice& device) {
  absl::Status attached = ReattachTun(*device.io, device.attachment);
  if (!attached.ok()) return attached;
  if (device.attachment.vnet_header()) {
    SetVnetHeader(*device.io);
    SetReceiveOffloads(*device.io, device.rx);
  }
  SetMtu(device).IgnoreError();
  RaiseQueueLength(device);
  BringUp(device).IgnoreError();
  return attached;
}

}  // namespace tcpip
