// The names and numbers of Linux's socket interface: one table, so that scripts
// mean the same on every host. No header of an operating system is asked; the
// test compares with those of the machine it runs on.
//
// Code names a constant as scripts do, and the compiler finds the number:
//
//   if (call.flags & Linux("MSG_PEEK")) ...
#ifndef CONFORMANCE_LINUX_CONSTANTS_H_
#define CONFORMANCE_LINUX_CONSTANTS_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace conformance {

struct LinuxConstant {
  std::string_view name;
  int64_t value;
};

// Of names with one number the preferred one comes first.
inline constexpr LinuxConstant kFamilies[] = {{"AF_UNSPEC", 0},
                                              {"AF_INET", 2},
                                              {"AF_INET6", 10},
                                              {"PF_INET", 2},
                                              {"PF_INET6", 10}};
inline constexpr LinuxConstant kSocketTypes[] = {
    {"SOCK_STREAM", 1},    {"SOCK_DGRAM", 2},        {"SOCK_RAW", 3},
    {"SOCK_SEQPACKET", 5}, {"SOCK_NONBLOCK", 0x800}, {"SOCK_CLOEXEC", 0x80000}};
inline constexpr LinuxConstant kProtocols[] = {
    {"IPPROTO_IP", 0},     {"IPPROTO_ICMP", 1},      {"IPPROTO_TCP", 6},
    {"IPPROTO_UDP", 17},   {"IPPROTO_IPV6", 41},     {"IPPROTO_ICMPV6", 58},
    {"IPPROTO_SCTP", 132}, {"IPPROTO_UDPLITE", 136}, {"IPPROTO_MPTCP", 262}};
inline constexpr LinuxConstant kLevels[] = {{"SOL_SOCKET", 1},
                                            {"SOL_IP", 0},
                                            {"SOL_TCP", 6},
                                            {"SOL_UDP", 17},
                                            {"SOL_IPV6", 41}};
inline constexpr LinuxConstant kSocketOptions[] = {
    {"SO_DEBUG", 1},         {"SO_REUSEADDR", 2},    {"SO_TYPE", 3},
    {"SO_ERROR", 4},         {"SO_DONTROUTE", 5},    {"SO_BROADCAST", 6},
    {"SO_SNDBUF", 7},        {"SO_RCVBUF", 8},       {"SO_KEEPALIVE", 9},
    {"SO_OOBINLINE", 10},    {"SO_NO_CHECK", 11},    {"SO_PRIORITY", 12},
    {"SO_LINGER", 13},       {"SO_BSDCOMPAT", 14},   {"SO_REUSEPORT", 15},
    {"SO_PASSCRED", 16},     {"SO_PEERCRED", 17},    {"SO_RCVLOWAT", 18},
    {"SO_SNDLOWAT", 19},     {"SO_RCVTIMEO", 20},    {"SO_SNDTIMEO", 21},
    {"SO_BINDTODEVICE", 25}, {"SO_PEERNAME", 28},    {"SO_TIMESTAMP", 29},
    {"SO_ACCEPTCONN", 30},   {"SO_SNDBUFFORCE", 32}, {"SO_RCVBUFFORCE", 33},
    {"SO_MARK", 36},         {"SO_TIMESTAMPNS", 35}, {"SO_TIMESTAMPING", 37},
    {"SO_PROTOCOL", 38},     {"SO_DOMAIN", 39},      {"SO_RXQ_OVFL", 40},
    {"SO_PEEK_OFF", 42},     {"SO_BUSY_POLL", 46},   {"SO_MAX_PACING_RATE", 47},
    {"SO_INCOMING_CPU", 49}, {"SO_ZEROCOPY", 60},    {"SO_TXTIME", 61}};
inline constexpr LinuxConstant kTcpOptions[] = {
    {"TCP_NODELAY", 1},
    {"TCP_MAXSEG", 2},
    {"TCP_CORK", 3},
    {"TCP_KEEPIDLE", 4},
    {"TCP_KEEPINTVL", 5},
    {"TCP_KEEPCNT", 6},
    {"TCP_SYNCNT", 7},
    {"TCP_LINGER2", 8},
    {"TCP_DEFER_ACCEPT", 9},
    {"TCP_WINDOW_CLAMP", 10},
    {"TCP_INFO", 11},
    {"TCP_QUICKACK", 12},
    {"TCP_CONGESTION", 13},
    {"TCP_MD5SIG", 14},
    {"TCP_THIN_LINEAR_TIMEOUTS", 16},
    {"TCP_THIN_DUPACK", 17},
    {"TCP_USER_TIMEOUT", 18},
    {"TCP_REPAIR", 19},
    {"TCP_REPAIR_QUEUE", 20},
    {"TCP_QUEUE_SEQ", 21},
    {"TCP_REPAIR_OPTIONS", 22},
    {"TCP_FASTOPEN", 23},
    {"TCP_TIMESTAMP", 24},
    {"TCP_NOTSENT_LOWAT", 25},
    {"TCP_CC_INFO", 26},
    {"TCP_SAVE_SYN", 27},
    {"TCP_SAVED_SYN", 28},
    {"TCP_REPAIR_WINDOW", 29},
    {"TCP_FASTOPEN_CONNECT", 30},
    {"TCP_ULP", 31},
    {"TCP_MD5SIG_EXT", 32},
    {"TCP_FASTOPEN_KEY", 33},
    {"TCP_FASTOPEN_NO_COOKIE", 34},
    {"TCP_ZEROCOPY_RECEIVE", 35},
    {"TCP_INQ", 36},
    {"TCP_CM_INQ", 36},
    {"TCP_TX_DELAY", 37}};
inline constexpr LinuxConstant kIpOptions[] = {{"IP_TOS", 1},
                                               {"IP_TTL", 2},
                                               {"IP_HDRINCL", 3},
                                               {"IP_OPTIONS", 4},
                                               {"IP_RECVOPTS", 6},
                                               {"IP_RETOPTS", 7},
                                               {"IP_PKTINFO", 8},
                                               {"IP_MTU_DISCOVER", 10},
                                               {"IP_RECVERR", 11},
                                               {"IP_RECVTTL", 12},
                                               {"IP_RECVTOS", 13},
                                               {"IP_MTU", 14},
                                               {"IP_FREEBIND", 15},
                                               {"IP_TRANSPARENT", 19},
                                               {"IP_ORIGDSTADDR", 20},
                                               {"IP_MINTTL", 21},
                                               {"IP_BIND_ADDRESS_NO_PORT", 24}};
inline constexpr LinuxConstant kIpv6Options[] = {
    {"IPV6_UNICAST_HOPS", 16}, {"IPV6_MTU_DISCOVER", 23},
    {"IPV6_MTU", 24},          {"IPV6_RECVERR", 25},
    {"IPV6_V6ONLY", 26},       {"IPV6_RECVPKTINFO", 49},
    {"IPV6_PKTINFO", 50},      {"IPV6_RECVHOPLIMIT", 51},
    {"IPV6_HOPLIMIT", 52},     {"IPV6_RECVTCLASS", 66},
    {"IPV6_TCLASS", 67}};
inline constexpr LinuxConstant kMtuDiscovery[] = {
    {"IP_PMTUDISC_DONT", 0},   {"IP_PMTUDISC_WANT", 1},
    {"IP_PMTUDISC_DO", 2},     {"IP_PMTUDISC_PROBE", 3},
    {"IPV6_PMTUDISC_DONT", 0}, {"IPV6_PMTUDISC_WANT", 1},
    {"IPV6_PMTUDISC_DO", 2},   {"IPV6_PMTUDISC_PROBE", 3}};
inline constexpr LinuxConstant kMessageFlags[] = {
    {"MSG_OOB", 1},
    {"MSG_PEEK", 2},
    {"MSG_DONTROUTE", 4},
    {"MSG_CTRUNC", 8},
    {"MSG_TRUNC", 0x20},
    {"MSG_DONTWAIT", 0x40},
    {"MSG_EOR", 0x80},
    {"MSG_WAITALL", 0x100},
    {"MSG_CONFIRM", 0x800},
    {"MSG_ERRQUEUE", 0x2000},
    {"MSG_NOSIGNAL", 0x4000},
    {"MSG_MORE", 0x8000},
    {"MSG_WAITFORONE", 0x10000},
    {"MSG_ZEROCOPY", 0x4000000},
    {"MSG_FASTOPEN", 0x20000000},
    {"MSG_CMSG_CLOEXEC", 0x40000000}};
inline constexpr LinuxConstant kFileFlags[] = {
    {"O_RDONLY", 0},       {"O_WRONLY", 1},       {"O_RDWR", 2},
    {"O_APPEND", 0x400},   {"O_NONBLOCK", 0x800}, {"O_ASYNC", 0x2000},
    {"O_CLOEXEC", 0x80000}};
inline constexpr LinuxConstant kFileCommands[] = {
    {"F_DUPFD", 0}, {"F_GETFD", 1}, {"F_SETFD", 2},
    {"F_GETFL", 3}, {"F_SETFL", 4}, {"FD_CLOEXEC", 1}};
inline constexpr LinuxConstant kShutdown[] = {
    {"SHUT_RD", 0}, {"SHUT_WR", 1}, {"SHUT_RDWR", 2}};
inline constexpr LinuxConstant kPollEvents[] = {
    {"POLLIN", 1},         {"POLLPRI", 2},       {"POLLOUT", 4},
    {"POLLERR", 8},        {"POLLHUP", 0x10},    {"POLLNVAL", 0x20},
    {"POLLRDNORM", 0x40},  {"POLLRDBAND", 0x80}, {"POLLWRNORM", 0x100},
    {"POLLWRBAND", 0x200}, {"POLLMSG", 0x400},   {"POLLRDHUP", 0x2000}};
inline constexpr LinuxConstant kEpollEvents[] = {{"EPOLLIN", 1},
                                                 {"EPOLLPRI", 2},
                                                 {"EPOLLOUT", 4},
                                                 {"EPOLLERR", 8},
                                                 {"EPOLLHUP", 0x10},
                                                 {"EPOLLRDNORM", 0x40},
                                                 {"EPOLLRDBAND", 0x80},
                                                 {"EPOLLWRNORM", 0x100},
                                                 {"EPOLLWRBAND", 0x200},
                                                 {"EPOLLMSG", 0x400},
                                                 {"EPOLLRDHUP", 0x2000},
                                                 {"EPOLLEXCLUSIVE", 0x10000000},
                                                 {"EPOLLWAKEUP", 0x20000000},
                                                 {"EPOLLONESHOT", 0x40000000},
                                                 {"EPOLLET", 0x80000000}};
inline constexpr LinuxConstant kEpollOperations[] = {
    {"EPOLL_CTL_ADD", 1},
    {"EPOLL_CTL_DEL", 2},
    {"EPOLL_CTL_MOD", 3},
    {"EPOLL_CLOEXEC", 0x80000}};
inline constexpr LinuxConstant kIoctls[] = {{"FIONREAD", 0x541b},
                                            {"SIOCINQ", 0x541b},
                                            {"SIOCOUTQ", 0x5411},
                                            {"SIOCOUTQNSD", 0x894b},
                                            {"FIONBIO", 0x5421}};
inline constexpr LinuxConstant kControlMessages[] = {{"SCM_RIGHTS", 1},
                                                     {"SCM_TIMESTAMP", 29},
                                                     {"SCM_TIMESTAMPNS", 35},
                                                     {"SCM_TIMESTAMPING", 37}};
inline constexpr LinuxConstant kTcpStates[] = {
    {"TCP_ESTABLISHED", 1}, {"TCP_SYN_SENT", 2},   {"TCP_SYN_RECV", 3},
    {"TCP_FIN_WAIT1", 4},   {"TCP_FIN_WAIT2", 5},  {"TCP_TIME_WAIT", 6},
    {"TCP_CLOSE", 7},       {"TCP_CLOSE_WAIT", 8}, {"TCP_LAST_ACK", 9},
    {"TCP_LISTEN", 10},     {"TCP_CLOSING", 11}};
inline constexpr LinuxConstant kTcpInfo[] = {
    {"TCP_CA_Open", 0},       {"TCP_CA_Disorder", 1},
    {"TCP_CA_CWR", 2},        {"TCP_CA_Recovery", 3},
    {"TCP_CA_Loss", 4},       {"TCPI_OPT_TIMESTAMPS", 1},
    {"TCPI_OPT_SACK", 2},     {"TCPI_OPT_WSCALE", 4},
    {"TCPI_OPT_ECN", 8},      {"TCPI_OPT_ECN_SEEN", 16},
    {"TCPI_OPT_SYN_DATA", 32}};
inline constexpr LinuxConstant kErrnos[] = {{"EPERM", 1},
                                            {"ENOENT", 2},
                                            {"EINTR", 4},
                                            {"EIO", 5},
                                            {"EBADF", 9},
                                            {"EAGAIN", 11},
                                            {"EWOULDBLOCK", 11},
                                            {"ENOMEM", 12},
                                            {"EACCES", 13},
                                            {"EFAULT", 14},
                                            {"EBUSY", 16},
                                            {"EEXIST", 17},
                                            {"ENODEV", 19},
                                            {"EINVAL", 22},
                                            {"ENFILE", 23},
                                            {"EMFILE", 24},
                                            {"ENOSPC", 28},
                                            {"ESPIPE", 29},
                                            {"EPIPE", 32},
                                            {"EDOM", 33},
                                            {"ENOSYS", 38},
                                            {"ELOOP", 40},
                                            {"ENOMSG", 42},
                                            {"EPROTO", 71},
                                            {"EOVERFLOW", 75},
                                            {"ENOTSOCK", 88},
                                            {"EDESTADDRREQ", 89},
                                            {"EMSGSIZE", 90},
                                            {"EPROTOTYPE", 91},
                                            {"ENOPROTOOPT", 92},
                                            {"EPROTONOSUPPORT", 93},
                                            {"ESOCKTNOSUPPORT", 94},
                                            {"EOPNOTSUPP", 95},
                                            {"ENOTSUP", 95},
                                            {"EPFNOSUPPORT", 96},
                                            {"EAFNOSUPPORT", 97},
                                            {"EADDRINUSE", 98},
                                            {"EADDRNOTAVAIL", 99},
                                            {"ENETDOWN", 100},
                                            {"ENETUNREACH", 101},
                                            {"ENETRESET", 102},
                                            {"ECONNABORTED", 103},
                                            {"ECONNRESET", 104},
                                            {"ENOBUFS", 105},
                                            {"EISCONN", 106},
                                            {"ENOTCONN", 107},
                                            {"ESHUTDOWN", 108},
                                            {"ETOOMANYREFS", 109},
                                            {"ETIMEDOUT", 110},
                                            {"ECONNREFUSED", 111},
                                            {"EHOSTDOWN", 112},
                                            {"EHOSTUNREACH", 113},
                                            {"EALREADY", 114},
                                            {"EINPROGRESS", 115},
                                            {"ECANCELED", 125}};

inline constexpr std::span<const LinuxConstant> kLinuxConstants[] = {
    kFamilies,      kSocketTypes,     kProtocols,   kLevels,
    kSocketOptions, kTcpOptions,      kIpOptions,   kIpv6Options,
    kMtuDiscovery,  kMessageFlags,    kFileFlags,   kFileCommands,
    kShutdown,      kPollEvents,      kEpollEvents, kEpollOperations,
    kIoctls,        kControlMessages, kTcpStates,   kTcpInfo,
    kErrnos};

constexpr std::optional<int64_t> ConstantNumber(std::string_view name) {
  for (const std::span<const LinuxConstant> table : kLinuxConstants) {
    for (const LinuxConstant& constant : table) {
      if (constant.name == name) return constant.value;
    }
  }
  return std::nullopt;
}

// The number of a name that is known; does not compile for another.
consteval int Linux(std::string_view name) {
  return static_cast<int>(ConstantNumber(name).value());
}

// "EAGAIN"; "" for a number without a name.
std::string_view ErrnoName(int number);

// "SO_ERROR"; "" for a level or an option without a name.
std::string_view OptionName(int level, int option);

// "POLLIN|POLLOUT"; what has no name in hexadecimal, at the end; "0".
std::string FlagsText(std::span<const LinuxConstant> flags, uint64_t value);

}  // namespace conformance

#endif  // CONFORMANCE_LINUX_CONSTANTS_H_
