// What the descriptors of a simulated process stand for, as plain values: TCP
// and UDP sockets of a Stack, epoll instances. What calls do with them is in
// posix_tcp, posix_udp and posix_poll.
#ifndef CONFORMANCE_DESCRIPTOR_H_
#define CONFORMANCE_DESCRIPTOR_H_

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "conformance/call.h"
#include "conformance/posix_options.h"
#include "tcpip/stack/socket_id.h"
#include "tcpip/wire/address.h"

namespace conformance {

struct TcpDescriptor {
  // Linux's socket states: a connection stays kConnecting, whatever became of
  // it, until connect() has said so.
  enum class Role : uint8_t { kFresh, kListening, kConnecting, kConnected };
  // What shutdown() has closed, as bits.
  enum Shut : uint8_t { kRead = 1, kWrite = 2, kBoth = 3 };

  int domain = 0;
  SocketOptions options = {};
  std::optional<tcpip::IpEndpoint> bound = std::nullopt;
  Role role = Role::kFresh;
  tcpip::SocketId socket = {};  // the listener or the connection
  uint32_t backlog = 0;
  uint8_t shut = 0;
  bool error_taken = false;       // an error is told once
  bool settings_changed = false;  // since it listens
  uint64_t accepted = 0;
};

struct UdpDescriptor {
  int domain = 0;
  SocketOptions options = {};
  tcpip::SocketId socket = {};  // none before it is bound or used
  std::optional<tcpip::IpEndpoint> remote = std::nullopt;
};

// What a descriptor is ready for.
struct ReadyState {
  uint32_t events = 0;    // POLLIN and its like
  uint64_t arrivals = 0;  // grows whenever there is more to read or accept
};

struct EpollDescriptor {
  struct Interest {
    int fd = -1;
    call::EpollEvent event;
    // EPOLLET: what was reported and has not ceased since.
    ReadyState reported = {};
    bool disarmed = false;  // EPOLLONESHOT, after its shot
  };
  std::vector<Interest> interests;
};

struct Descriptor {
  std::variant<TcpDescriptor, UdpDescriptor, EpollDescriptor> kind = {};
  bool nonblocking = false;  // O_NONBLOCK
};

// The lowest free number is given out first, as POSIX has it. 0 to 2 are
// taken.
class DescriptorTable {
 public:
  int Add(Descriptor descriptor) {
    int fd = 3;
    for (const auto& [taken, unused] : descriptors_) {
      if (taken != fd) break;
      ++fd;
    }
    descriptors_.emplace(fd, std::move(descriptor));
    return fd;
  }
  // nullptr when it is not open. Stays where it is until it is closed.
  Descriptor* Find(int fd) {
    const auto it = descriptors_.find(fd);
    return it == descriptors_.end() ? nullptr : &it->second;
  }
  void Remove(int fd) { descriptors_.erase(fd); }

  // In the order of numbers.
  std::map<int, Descriptor>& all() { return descriptors_; }

 private:
  std::map<int, Descriptor> descriptors_;
};

}  // namespace conformance

#endif  // CONFORMANCE_DESCRIPTOR_H_
