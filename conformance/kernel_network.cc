#include "conformance/kernel_network.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <linux/ipv6.h>
#include <net/if.h>
#include <net/route.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"

namespace conformance {
namespace {

constexpr char kDevice[] = "tun0";

absl::Status Failed(const std::string& what) {
  return absl::InternalError(absl::StrCat(what, ": ", std::strerror(errno)));
}

// Closes what it holds.
class Fd {
 public:
  explicit Fd(int fd) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&&) = delete;
  ~Fd() {
    if (fd_ >= 0) close(fd_);
  }
  int get() const { return fd_; }
  int Release() { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

absl::Status Unshare() {
  if (unshare(CLONE_NEWNET) == 0) return absl::OkStatus();
  return absl::PermissionDeniedError(
      absl::StrCat("a network namespace cannot be made: ", std::strerror(errno),
                   "; the kernel backend runs as root (CAP_SYS_ADMIN)"));
}

ifreq DeviceRequest() {
  ifreq request = {};
  std::memcpy(request.ifr_name, kDevice, sizeof kDevice);
  return request;
}

// "net.ipv4.tcp_sack" as its file says it.
absl::Status WriteSetting(std::string key, const std::string& value) {
  std::replace(key.begin(), key.end(), '.', '/');
  const std::string path = absl::StrCat("/proc/sys/", key);
  const Fd file(open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (file.get() < 0) {
    return absl::UnimplementedError(
        absl::StrCat("this kernel has no setting ", key));
  }
  if (write(file.get(), value.data(), value.size()) !=
      static_cast<ssize_t>(value.size())) {
    return absl::InvalidArgumentError(
        absl::StrCat(key, " cannot be ", value, ": ", std::strerror(errno)));
  }
  return absl::OkStatus();
}

absl::StatusOr<Fd> OpenDevice() {
  Fd tun(open("/dev/net/tun", O_RDWR | O_CLOEXEC | O_NONBLOCK));
  if (tun.get() < 0) return Failed("/dev/net/tun");
  ifreq request = DeviceRequest();
  request.ifr_flags = IFF_TUN | IFF_NO_PI;
  if (ioctl(tun.get(), TUNSETIFF, &request) != 0) return Failed("TUNSETIFF");
  return tun;
}

sockaddr_in Ipv4(const tcpip::IpAddress& address) {
  sockaddr_in v4 = {};
  v4.sin_family = AF_INET;
  std::memcpy(&v4.sin_addr, address.bytes().data(), 4);
  return v4;
}

sockaddr_in Ipv4Mask(int prefix_length) {
  sockaddr_in v4 = {};
  v4.sin_family = AF_INET;
  v4.sin_addr.s_addr =
      prefix_length == 0 ? 0 : htonl(UINT32_MAX << (32 - prefix_length));
  return v4;
}

absl::Status AddIpv4(int control, const tcpip::Cidr& local) {
  ifreq request = DeviceRequest();
  const sockaddr_in address = Ipv4(local.address);
  std::memcpy(&request.ifr_addr, &address, sizeof address);
  if (ioctl(control, SIOCSIFADDR, &request) != 0) return Failed("SIOCSIFADDR");
  const sockaddr_in mask = Ipv4Mask(local.prefix_length);
  std::memcpy(&request.ifr_netmask, &mask, sizeof mask);
  if (ioctl(control, SIOCSIFNETMASK, &request) != 0) {
    return Failed("SIOCSIFNETMASK");
  }
  rtentry route = {};
  const sockaddr_in any = Ipv4(tcpip::IpAddress::Ipv4(0, 0, 0, 0));
  std::memcpy(&route.rt_dst, &any, sizeof any);
  std::memcpy(&route.rt_genmask, &any, sizeof any);
  route.rt_flags = RTF_UP;
  std::string device = kDevice;
  route.rt_dev = device.data();
  if (ioctl(control, SIOCADDRT, &route) != 0) return Failed("SIOCADDRT");
  return absl::OkStatus();
}

absl::Status AddIpv6(const tcpip::Cidr& local) {
  const Fd control(socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (control.get() < 0) return Failed("IPv6");
  ifreq device = DeviceRequest();
  if (ioctl(control.get(), SIOCGIFINDEX, &device) != 0) {
    return Failed("SIOCGIFINDEX");
  }
  in6_ifreq request = {};
  std::memcpy(&request.ifr6_addr, local.address.mapped_bytes().data(), 16);
  request.ifr6_prefixlen = local.prefix_length;
  request.ifr6_ifindex = device.ifr_ifindex;
  if (ioctl(control.get(), SIOCSIFADDR, &request) != 0) {
    return Failed("SIOCSIFADDR (IPv6)");
  }
  in6_rtmsg route = {};
  route.rtmsg_ifindex = device.ifr_ifindex;
  route.rtmsg_flags = RTF_UP;
  route.rtmsg_metric = 1;
  if (ioctl(control.get(), SIOCADDRT, &route) != 0) {
    return Failed("SIOCADDRT (IPv6)");
  }
  return absl::OkStatus();
}

absl::Status BringUp(int control, uint32_t mtu) {
  ifreq request = DeviceRequest();
  request.ifr_mtu = static_cast<int>(mtu);
  if (ioctl(control, SIOCSIFMTU, &request) != 0) return Failed("SIOCSIFMTU");
  request = DeviceRequest();
  request.ifr_flags = IFF_UP | IFF_RUNNING;
  if (ioctl(control, SIOCSIFFLAGS, &request) != 0) {
    return Failed("SIOCSIFFLAGS");
  }
  return absl::OkStatus();
}

absl::Status ApplySettings(const HostConfig& config) {
  // Nobody answers duplicate address detection, and an address waits for it.
  const std::string ipv6 = absl::StrCat("net.ipv6.conf.", kDevice);
  for (const char* key : {".accept_dad", ".router_solicitations"}) {
    if (absl::Status set = WriteSetting(absl::StrCat(ipv6, key), "0");
        !set.ok()) {
      return set;
    }
  }
  for (const auto& [key, value] : config.sysctls) {
    if (absl::Status set = WriteSetting(key, value); !set.ok()) return set;
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<int> EnterNetwork(const HostConfig& config) {
  if (absl::Status entered = Unshare(); !entered.ok()) return entered;
  absl::StatusOr<Fd> tun = OpenDevice();
  if (!tun.ok()) return tun.status();
  const Fd control(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (control.get() < 0) return Failed("socket");
  if (absl::Status set = ApplySettings(config); !set.ok()) return set;
  if (absl::Status up = BringUp(control.get(), config.mtu); !up.ok()) return up;
  if (absl::Status added = config.local.address.IsIpv4()
                               ? AddIpv4(control.get(), config.local)
                               : AddIpv6(config.local);
      !added.ok()) {
    return added;
  }
  return tun->Release();
}

absl::Status MayEnterNetworks() {
  absl::Status may;
  std::thread([&may] { may = Unshare(); }).join();
  return may;
}

}  // namespace conformance
