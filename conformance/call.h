// Socket calls as values: what a script asks of a host under test, and what
// came of it. Constants (families, levels, flags, errno) have Linux's numbers
// on every host, ours included.
//
// Descriptors are the host's own; the runner keeps the script's labels apart.
#ifndef CONFORMANCE_CALL_H_
#define CONFORMANCE_CALL_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "tcpip/wire/address.h"

namespace conformance {

namespace call {
struct Socket {
  int domain = 0;
  int type = 0;  // with SOCK_NONBLOCK and the like
  int protocol = 0;
};
struct Bind {
  int fd = -1;
  tcpip::IpEndpoint local = {};
};
struct Listen {
  int fd = -1;
  int backlog = 0;
};
struct Accept {
  int fd = -1;
  int flags = 0;  // as accept4
};
struct Connect {
  int fd = -1;
  tcpip::IpEndpoint remote = {};
};
// read, readv, recv, recvfrom, recvmsg.
struct Receive {
  int fd = -1;
  std::vector<uint32_t> lengths = {};  // of the buffers
  int flags = 0;
  uint32_t control_length = 0;  // room for control messages
};
// write, writev, send, sendto, sendmsg. Bytes are zero.
struct Send {
  int fd = -1;
  std::vector<uint32_t> lengths = {};
  int flags = 0;
  std::optional<tcpip::IpEndpoint> to = {};
};
struct Fcntl {
  int fd = -1;
  int command = 0;
  int argument = 0;
};
struct Ioctl {  // SIOCINQ, SIOCOUTQ and their like: an int comes out
  int fd = -1;
  uint64_t request = 0;
};
struct Close {
  int fd = -1;
};
struct Shutdown {
  int fd = -1;
  int how = 0;
};
struct Linger {
  int onoff = 0;
  int seconds = 0;
  friend bool operator==(const Linger&, const Linger&) = default;
};
// An int, a linger, or text (congestion control).
using OptionValue = std::variant<int, Linger, std::string>;
struct GetOption {
  int fd = -1;
  int level = 0;
  int name = 0;
};
struct SetOption {
  int fd = -1;
  int level = 0;
  int name = 0;
  OptionValue value = {};
};
struct PollEntry {
  int fd = -1;
  int events = 0;
  int revents = 0;
  friend bool operator==(const PollEntry&, const PollEntry&) = default;
};
struct Poll {
  std::vector<PollEntry> entries = {};
  int timeout_ms = 0;  // negative: none
};
struct EpollCreate {
  int flags = 0;
};
struct EpollEvent {
  uint32_t events = 0;
  uint64_t data = 0;
  friend bool operator==(const EpollEvent&, const EpollEvent&) = default;
};
struct EpollControl {
  int epoll_fd = -1;
  int operation = 0;
  int fd = -1;
  EpollEvent event = {};
};
struct EpollWait {
  int epoll_fd = -1;
  int max_events = 0;
  int timeout_ms = 0;
};
}  // namespace call

using Call =
    std::variant<call::Socket, call::Bind, call::Listen, call::Accept,
                 call::Connect, call::Receive, call::Send, call::Fcntl,
                 call::Ioctl, call::Close, call::Shutdown, call::GetOption,
                 call::SetOption, call::Poll, call::EpollCreate,
                 call::EpollControl, call::EpollWait>;

// A control message that came with received bytes.
struct ControlMessage {
  int level = 0;
  int type = 0;
  std::vector<uint8_t> data = {};
  friend bool operator==(const ControlMessage&,
                         const ControlMessage&) = default;
};

// Fields of a connection by Linux's names ("tcpi_snd_cwnd", in segments;
// "tcpi_rtt", in microseconds), as scripts ask for them.
using InfoFields = std::map<std::string, int64_t, std::less<>>;

struct CallResult {
  int64_t value = 0;  // -1 with `error`
  int error = 0;      // errno

  // What else came out, by call.
  std::optional<tcpip::IpEndpoint> peer = {};  // accept, recvfrom, recvmsg
  std::optional<call::OptionValue> option = {};
  InfoFields info = {};  // of TCP_INFO
  std::vector<call::PollEntry> poll = {};
  std::vector<call::EpollEvent> epoll = {};
  int message_flags = 0;  // recvmsg
  std::vector<ControlMessage> control = {};

  // Not "": the host has no such call, option or flag; why. Nothing was done.
  std::string unsupported = {};
};

}  // namespace conformance

#endif  // CONFORMANCE_CALL_H_
