#include "tests/tun/kernel_net.h"

#include <fcntl.h>
#include <linux/if_tun.h>
#include <linux/ipv6.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string>

#include "absl/strings/str_cat.h"

namespace tcpip {
namespace {

constexpr time_t kPatienceSeconds = 20;

absl::Status Failure(const std::string& what) {
  return absl::UnavailableError(
      absl::StrCat(what, ": ", strerrorname_np(errno)));
}

bool WriteFile(const char* path, const std::string& text) {
  const int fd = open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const bool written = write(fd, text.data(), text.size()) >= 0;
  close(fd);
  return written;
}

absl::Status EnterUserNetwork() {
  const uid_t uid = geteuid();
  const gid_t gid = getegid();
  if (unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0) {
    return Failure("cannot make a network namespace");
  }
  WriteFile("/proc/self/setgroups", "deny");
  WriteFile("/proc/self/uid_map", absl::StrCat("0 ", uid, " 1"));
  WriteFile("/proc/self/gid_map", absl::StrCat("0 ", gid, " 1"));
  return absl::OkStatus();
}

ifreq RequestFor(const std::string& device) {
  ifreq request = {};
  device.copy(request.ifr_name, IFNAMSIZ - 1);
  return request;
}

// A netlink message that adds a route.
class RouteMessage {
 public:
  explicit RouteMessage(const Cidr& destination) {
    rtmsg& route = *static_cast<rtmsg*>(NLMSG_DATA(&header()));
    route.rtm_family = destination.address.IsIpv4() ? AF_INET : AF_INET6;
    route.rtm_dst_len = destination.prefix_length;
    route.rtm_table = RT_TABLE_MAIN;
    route.rtm_protocol = RTPROT_STATIC;
    route.rtm_scope = RT_SCOPE_LINK;
    route.rtm_type = RTN_UNICAST;
    header().nlmsg_len = NLMSG_LENGTH(sizeof route);
    header().nlmsg_type = RTM_NEWROUTE;
    header().nlmsg_flags = NLM_F_REQUEST | NLM_F_CREATE | NLM_F_ACK;
    const ByteSpan bytes = destination.address.bytes();
    Add(RTA_DST, bytes.data(), bytes.size());
  }
  rtattr& Add(uint16_t type, const void* data, size_t size) {
    auto& attribute =
        *reinterpret_cast<rtattr*>(bytes_ + NLMSG_ALIGN(header().nlmsg_len));
    attribute.rta_type = type;
    attribute.rta_len = static_cast<uint16_t>(RTA_LENGTH(size));
    if (size > 0) std::memcpy(RTA_DATA(&attribute), data, size);
    header().nlmsg_len = static_cast<uint32_t>(NLMSG_ALIGN(header().nlmsg_len) +
                                               RTA_ALIGN(attribute.rta_len));
    return attribute;
  }
  nlmsghdr& header() { return *reinterpret_cast<nlmsghdr*>(bytes_); }

 private:
  alignas(nlmsghdr) char bytes_[256] = {};
};

absl::Status AddIpv4(const std::string& device, const Cidr& address) {
  const KernelSocket control = KernelSocket::Make(IpFamily::kIpv4, SOCK_DGRAM);
  ifreq request = RequestFor(device);
  auto* in = reinterpret_cast<sockaddr_in*>(&request.ifr_addr);
  in->sin_family = AF_INET;
  std::memcpy(&in->sin_addr, address.address.bytes().data(), 4);
  if (ioctl(control.fd(), SIOCSIFADDR, &request) != 0) {
    return Failure("SIOCSIFADDR");
  }
  in->sin_addr.s_addr = htonl(~uint32_t{0} << (32 - address.prefix_length));
  if (ioctl(control.fd(), SIOCSIFNETMASK, &request) != 0) {
    return Failure("SIOCSIFNETMASK");
  }
  return absl::OkStatus();
}

// The kernel takes an address into use in the background.
absl::Status WaitUntilUsable(const IpAddress& address) {
  const KernelSocket probe = KernelSocket::Make(IpFamily::kIpv6, SOCK_DGRAM);
  const KernelAddress local({address, 0});
  for (int i = 0; i < 5000; ++i) {
    if (bind(probe.fd(), local.get(), local.size) == 0) return absl::OkStatus();
    usleep(1000);
  }
  return Failure("the address stays tentative");
}

absl::Status AddIpv6(const std::string& device, const Cidr& address) {
  const KernelSocket control = KernelSocket::Make(IpFamily::kIpv6, SOCK_DGRAM);
  if (!control.ok()) return Failure("no IPv6");
  in6_ifreq request = {};
  std::memcpy(&request.ifr6_addr, address.address.bytes().data(), 16);
  request.ifr6_prefixlen = address.prefix_length;
  request.ifr6_ifindex = static_cast<int>(if_nametoindex(device.c_str()));
  if (ioctl(control.fd(), SIOCSIFADDR, &request) != 0) {
    return Failure("SIOCSIFADDR (IPv6)");
  }
  return WaitUntilUsable(address.address);
}

}  // namespace

absl::Status EnterOwnNetwork() {
  if (unshare(CLONE_NEWNET) != 0) {
    if (absl::Status s = EnterUserNetwork(); !s.ok()) return s;
  }
  return SetDeviceUp("lo", true);
}

absl::Status SetDeviceUp(const std::string& device, bool up) {
  const KernelSocket control = KernelSocket::Make(IpFamily::kIpv4, SOCK_DGRAM);
  ifreq request = RequestFor(device);
  if (ioctl(control.fd(), SIOCGIFFLAGS, &request) != 0) {
    return Failure("SIOCGIFFLAGS");
  }
  const int flags = request.ifr_flags & ~IFF_UP;
  request.ifr_flags = static_cast<short>(up ? flags | IFF_UP : flags);
  if (ioctl(control.fd(), SIOCSIFFLAGS, &request) != 0) {
    return Failure("SIOCSIFFLAGS");
  }
  return absl::OkStatus();
}

absl::Status SetDeviceMtu(const std::string& device, int mtu) {
  const KernelSocket control = KernelSocket::Make(IpFamily::kIpv4, SOCK_DGRAM);
  ifreq request = RequestFor(device);
  request.ifr_mtu = mtu;
  if (ioctl(control.fd(), SIOCSIFMTU, &request) != 0) {
    return Failure("SIOCSIFMTU");
  }
  return absl::OkStatus();
}

absl::Status MakeTunDevice(const std::string& device, bool multi_queue) {
  const KernelSocket tun(open("/dev/net/tun", O_RDWR | O_CLOEXEC));
  ifreq request = RequestFor(device);
  request.ifr_flags = static_cast<short>(IFF_TUN | IFF_NO_PI |
                                         (multi_queue ? IFF_MULTI_QUEUE : 0));
  if (ioctl(tun.fd(), TUNSETIFF, &request) != 0) return Failure("TUNSETIFF");
  if (ioctl(tun.fd(), TUNSETPERSIST, 1) != 0) return Failure("TUNSETPERSIST");
  return absl::OkStatus();
}

absl::Status DeleteDevice(const std::string& device) {
  struct {
    nlmsghdr header;
    ifinfomsg link;
  } request = {};
  request.header.nlmsg_len = sizeof request;
  request.header.nlmsg_type = RTM_DELLINK;
  request.header.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK;
  request.link.ifi_index = static_cast<int>(if_nametoindex(device.c_str()));
  struct {
    nlmsghdr header;
    nlmsgerr error;
    char echoed[sizeof request];
  } answer = {};
  const KernelSocket netlink(
      socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE));
  if (send(netlink.fd(), &request, sizeof request, 0) < 0 ||
      recv(netlink.fd(), &answer, sizeof answer, 0) < 0) {
    return Failure("NETLINK_ROUTE");
  }
  errno = -answer.error.error;
  return errno == 0 ? absl::OkStatus() : Failure("RTM_DELLINK");
}

absl::Status AddKernelAddress(const std::string& device, const Cidr& address) {
  return address.address.IsIpv4() ? AddIpv4(device, address)
                                  : AddIpv6(device, address);
}

absl::Status RouteThroughKernel(const std::string& device,
                                const Cidr& destination, uint32_t mtu) {
  const bool v4 = destination.address.IsIpv4();
  if (!WriteFile(v4 ? "/proc/sys/net/ipv4/ip_forward"
                    : "/proc/sys/net/ipv6/conf/all/forwarding",
                 "1")) {
    return Failure("the kernel does not forward");
  }
  RouteMessage message(destination.Masked());
  const auto index = static_cast<int>(if_nametoindex(device.c_str()));
  message.Add(RTA_OIF, &index, sizeof index);
  rtattr& metrics = message.Add(RTA_METRICS, nullptr, 0);
  const rtattr& metric = message.Add(RTAX_MTU, &mtu, sizeof mtu);
  metrics.rta_len = static_cast<uint16_t>(RTA_LENGTH(metric.rta_len));

  const KernelSocket netlink(
      socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE));
  if (!netlink.ok()) return Failure("no netlink");
  struct {
    nlmsghdr header;
    nlmsgerr error;
  } answer = {};
  if (send(netlink.fd(), &message.header(), message.header().nlmsg_len, 0) <
          0 ||
      recv(netlink.fd(), &answer, sizeof answer, 0) < 0) {
    return Failure("netlink");
  }
  errno = -answer.error.error;
  return errno == 0 ? absl::OkStatus() : Failure("RTM_NEWROUTE");
}

KernelAddress::KernelAddress(const IpEndpoint& endpoint) {
  const ByteSpan bytes = endpoint.address.bytes();
  if (endpoint.address.IsIpv4()) {
    auto* in = reinterpret_cast<sockaddr_in*>(&storage);
    in->sin_family = AF_INET;
    in->sin_port = htons(endpoint.port);
    std::memcpy(&in->sin_addr, bytes.data(), bytes.size());
    size = sizeof *in;
  } else {
    auto* in = reinterpret_cast<sockaddr_in6*>(&storage);
    in->sin6_family = AF_INET6;
    in->sin6_port = htons(endpoint.port);
    std::memcpy(&in->sin6_addr, bytes.data(), bytes.size());
    size = sizeof *in;
  }
}

KernelSocket::KernelSocket(int fd) : fd_(fd) {
  if (fd < 0) return;
  const timeval patience = {kPatienceSeconds, 0};
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
}

KernelSocket KernelSocket::Make(IpFamily family, int type, int protocol) {
  return KernelSocket(socket(family == IpFamily::kIpv4 ? AF_INET : AF_INET6,
                             type | SOCK_CLOEXEC, protocol));
}

KernelSocket KernelSocket::Listening(const IpEndpoint& local) {
  KernelSocket result = Make(local.address.family(), SOCK_STREAM);
  const KernelAddress address(local);
  if (bind(result.fd(), address.get(), address.size) != 0 ||
      listen(result.fd(), 1024) != 0) {
    return KernelSocket();
  }
  return result;
}

KernelSocket KernelSocket::Connected(const IpEndpoint& remote) {
  KernelSocket result = Make(remote.address.family(), SOCK_STREAM);
  const KernelAddress address(remote);
  if (connect(result.fd(), address.get(), address.size) != 0) {
    const int error = errno;
    result.Close();
    errno = error;
  }
  return result;
}

KernelSocket KernelSocket::Accept() {
  return KernelSocket(accept4(fd_, nullptr, nullptr, SOCK_CLOEXEC));
}

bool KernelSocket::SendAll(ByteSpan bytes) {
  while (!bytes.empty()) {
    const ssize_t n = send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n < 0) return false;
    bytes = bytes.subspan(static_cast<size_t>(n));
  }
  return true;
}

ssize_t KernelSocket::Recv(MutableByteSpan to) {
  return recv(fd_, to.data(), to.size(), 0);
}

bool KernelSocket::RecvUntilEof(std::vector<uint8_t>& to, size_t max) {
  std::vector<uint8_t> block(size_t{256} << 10);
  while (true) {
    const ssize_t n = Recv(block);
    if (n <= 0) return n == 0;
    to.insert(to.end(), block.begin(), block.begin() + n);
    if (to.size() > max) return false;
  }
}

ssize_t KernelSocket::RecvMessage(
    MutableByteSpan to,
    absl::FunctionRef<void(const cmsghdr&)> on_control) const {
  iovec iov = {to.data(), to.size()};
  alignas(cmsghdr) std::array<uint8_t, 256> control;
  msghdr header = {};
  header.msg_iov = &iov;
  header.msg_iovlen = 1;
  header.msg_control = control.data();
  header.msg_controllen = control.size();
  const ssize_t size = recvmsg(fd_, &header, 0);
  if (size < 0) return size;
  for (cmsghdr* c = CMSG_FIRSTHDR(&header); c != nullptr;
       c = CMSG_NXTHDR(&header, c)) {
    on_control(*c);
  }
  return size;
}

void KernelSocket::ShutdownWrite() { shutdown(fd_, SHUT_WR); }

void KernelSocket::Close() {
  if (fd_ >= 0) close(std::exchange(fd_, -1));
}

void KernelSocket::Reset() {
  const linger now = {1, 0};
  setsockopt(fd_, SOL_SOCKET, SO_LINGER, &now, sizeof now);
  Close();
}

}  // namespace tcpip
