#include "conformance/linux_constants.h"

// The machine's own, to compare with.
#include <asm/ioctls.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <netinet/udp.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <cerrno>
#include <map>
#include <string>

#include "gtest/gtest.h"

namespace conformance {
namespace {

#define HOST(name) \
  { #name, static_cast < int64_t>(name) }

const std::map<std::string, int64_t> kHost = {HOST(AF_UNSPEC),
                                              HOST(AF_INET),
                                              HOST(AF_INET6),
                                              HOST(PF_INET),
                                              HOST(PF_INET6),
                                              HOST(SOCK_STREAM),
                                              HOST(SOCK_DGRAM),
                                              HOST(SOCK_RAW),
                                              HOST(SOCK_SEQPACKET),
                                              HOST(SOCK_NONBLOCK),
                                              HOST(SOCK_CLOEXEC),
                                              HOST(IPPROTO_IP),
                                              HOST(IPPROTO_ICMP),
                                              HOST(IPPROTO_TCP),
                                              HOST(IPPROTO_UDP),
                                              HOST(IPPROTO_IPV6),
                                              HOST(IPPROTO_ICMPV6),
                                              HOST(IPPROTO_SCTP),
                                              HOST(IPPROTO_UDPLITE),
                                              HOST(IPPROTO_MPTCP),
                                              HOST(SOL_SOCKET),
                                              HOST(SOL_IP),
                                              HOST(SOL_TCP),
                                              HOST(SOL_UDP),
                                              HOST(SOL_IPV6),
                                              HOST(SO_DEBUG),
                                              HOST(SO_REUSEADDR),
                                              HOST(SO_TYPE),
                                              HOST(SO_ERROR),
                                              HOST(SO_DONTROUTE),
                                              HOST(SO_BROADCAST),
                                              HOST(SO_SNDBUF),
                                              HOST(SO_RCVBUF),
                                              HOST(SO_KEEPALIVE),
                                              HOST(SO_OOBINLINE),
                                              HOST(SO_NO_CHECK),
                                              HOST(SO_PRIORITY),
                                              HOST(SO_LINGER),
                                              HOST(SO_BSDCOMPAT),
                                              HOST(SO_REUSEPORT),
                                              HOST(SO_PASSCRED),
                                              HOST(SO_PEERCRED),
                                              HOST(SO_RCVLOWAT),
                                              HOST(SO_SNDLOWAT),
                                              HOST(SO_RCVTIMEO),
                                              HOST(SO_SNDTIMEO),
                                              HOST(SO_BINDTODEVICE),
                                              HOST(SO_PEERNAME),
                                              HOST(SO_TIMESTAMP),
                                              HOST(SO_ACCEPTCONN),
                                              HOST(SO_SNDBUFFORCE),
                                              HOST(SO_RCVBUFFORCE),
                                              HOST(SO_MARK),
                                              HOST(SO_TIMESTAMPNS),
                                              HOST(SO_TIMESTAMPING),
                                              HOST(SO_PROTOCOL),
                                              HOST(SO_DOMAIN),
                                              HOST(SO_RXQ_OVFL),
                                              HOST(SO_PEEK_OFF),
                                              HOST(SO_BUSY_POLL),
                                              HOST(SO_MAX_PACING_RATE),
                                              HOST(SO_INCOMING_CPU),
                                              HOST(SO_ZEROCOPY),
                                              HOST(SO_TXTIME),
                                              HOST(TCP_NODELAY),
                                              HOST(TCP_MAXSEG),
                                              HOST(TCP_CORK),
                                              HOST(TCP_KEEPIDLE),
                                              HOST(TCP_KEEPINTVL),
                                              HOST(TCP_KEEPCNT),
                                              HOST(TCP_SYNCNT),
                                              HOST(TCP_LINGER2),
                                              HOST(TCP_DEFER_ACCEPT),
                                              HOST(TCP_WINDOW_CLAMP),
                                              HOST(TCP_INFO),
                                              HOST(TCP_QUICKACK),
                                              HOST(TCP_CONGESTION),
                                              HOST(TCP_MD5SIG),
                                              HOST(TCP_THIN_LINEAR_TIMEOUTS),
                                              HOST(TCP_THIN_DUPACK),
                                              HOST(TCP_USER_TIMEOUT),
                                              HOST(TCP_REPAIR),
                                              HOST(TCP_REPAIR_QUEUE),
                                              HOST(TCP_QUEUE_SEQ),
                                              HOST(TCP_REPAIR_OPTIONS),
                                              HOST(TCP_FASTOPEN),
                                              HOST(TCP_TIMESTAMP),
                                              HOST(TCP_NOTSENT_LOWAT),
                                              HOST(TCP_CC_INFO),
                                              HOST(TCP_SAVE_SYN),
                                              HOST(TCP_SAVED_SYN),
                                              HOST(TCP_REPAIR_WINDOW),
                                              HOST(TCP_FASTOPEN_CONNECT),
                                              HOST(TCP_ULP),
                                              HOST(TCP_MD5SIG_EXT),
                                              HOST(TCP_FASTOPEN_KEY),
                                              HOST(TCP_FASTOPEN_NO_COOKIE),
                                              HOST(TCP_ZEROCOPY_RECEIVE),
                                              HOST(TCP_INQ),
                                              HOST(TCP_CM_INQ),
                                              HOST(TCP_TX_DELAY),
                                              HOST(IP_TOS),
                                              HOST(IP_TTL),
                                              HOST(IP_HDRINCL),
                                              HOST(IP_OPTIONS),
                                              HOST(IP_RECVOPTS),
                                              HOST(IP_RETOPTS),
                                              HOST(IP_PKTINFO),
                                              HOST(IP_MTU_DISCOVER),
                                              HOST(IP_RECVERR),
                                              HOST(IP_RECVTTL),
                                              HOST(IP_RECVTOS),
                                              HOST(IP_MTU),
                                              HOST(IP_FREEBIND),
                                              HOST(IP_TRANSPARENT),
                                              HOST(IP_ORIGDSTADDR),
                                              HOST(IP_MINTTL),
                                              HOST(IP_BIND_ADDRESS_NO_PORT),
                                              HOST(IPV6_UNICAST_HOPS),
                                              HOST(IPV6_MTU_DISCOVER),
                                              HOST(IPV6_MTU),
                                              HOST(IPV6_RECVERR),
                                              HOST(IPV6_V6ONLY),
                                              HOST(IPV6_RECVPKTINFO),
                                              HOST(IPV6_PKTINFO),
                                              HOST(IPV6_RECVHOPLIMIT),
                                              HOST(IPV6_HOPLIMIT),
                                              HOST(IPV6_RECVTCLASS),
                                              HOST(IPV6_TCLASS),
                                              HOST(IP_PMTUDISC_DONT),
                                              HOST(IP_PMTUDISC_WANT),
                                              HOST(IP_PMTUDISC_DO),
                                              HOST(IP_PMTUDISC_PROBE),
                                              HOST(IPV6_PMTUDISC_DONT),
                                              HOST(IPV6_PMTUDISC_WANT),
                                              HOST(IPV6_PMTUDISC_DO),
                                              HOST(IPV6_PMTUDISC_PROBE),
                                              HOST(MSG_OOB),
                                              HOST(MSG_PEEK),
                                              HOST(MSG_DONTROUTE),
                                              HOST(MSG_CTRUNC),
                                              HOST(MSG_TRUNC),
                                              HOST(MSG_DONTWAIT),
                                              HOST(MSG_EOR),
                                              HOST(MSG_WAITALL),
                                              HOST(MSG_CONFIRM),
                                              HOST(MSG_ERRQUEUE),
                                              HOST(MSG_NOSIGNAL),
                                              HOST(MSG_MORE),
                                              HOST(MSG_WAITFORONE),
                                              HOST(MSG_ZEROCOPY),
                                              HOST(MSG_FASTOPEN),
                                              HOST(MSG_CMSG_CLOEXEC),
                                              HOST(O_RDONLY),
                                              HOST(O_WRONLY),
                                              HOST(O_RDWR),
                                              HOST(O_APPEND),
                                              HOST(O_NONBLOCK),
                                              HOST(O_ASYNC),
                                              HOST(O_CLOEXEC),
                                              HOST(F_DUPFD),
                                              HOST(F_GETFD),
                                              HOST(F_SETFD),
                                              HOST(F_GETFL),
                                              HOST(F_SETFL),
                                              HOST(FD_CLOEXEC),
                                              HOST(SHUT_RD),
                                              HOST(SHUT_WR),
                                              HOST(SHUT_RDWR),
                                              HOST(POLLIN),
                                              HOST(POLLPRI),
                                              HOST(POLLOUT),
                                              HOST(POLLERR),
                                              HOST(POLLHUP),
                                              HOST(POLLNVAL),
                                              HOST(POLLRDNORM),
                                              HOST(POLLRDBAND),
                                              HOST(POLLWRNORM),
                                              HOST(POLLWRBAND),
                                              HOST(POLLMSG),
                                              HOST(POLLRDHUP),
                                              HOST(EPOLLIN),
                                              HOST(EPOLLPRI),
                                              HOST(EPOLLOUT),
                                              HOST(EPOLLERR),
                                              HOST(EPOLLHUP),
                                              HOST(EPOLLRDNORM),
                                              HOST(EPOLLRDBAND),
                                              HOST(EPOLLWRNORM),
                                              HOST(EPOLLWRBAND),
                                              HOST(EPOLLMSG),
                                              HOST(EPOLLRDHUP),
                                              HOST(EPOLLEXCLUSIVE),
                                              HOST(EPOLLWAKEUP),
                                              HOST(EPOLLONESHOT),
                                              HOST(EPOLLET),
                                              HOST(EPOLL_CTL_ADD),
                                              HOST(EPOLL_CTL_DEL),
                                              HOST(EPOLL_CTL_MOD),
                                              HOST(EPOLL_CLOEXEC),
                                              HOST(FIONREAD),
                                              HOST(SIOCINQ),
                                              HOST(SIOCOUTQ),
                                              HOST(SIOCOUTQNSD),
                                              HOST(FIONBIO),
                                              HOST(SCM_RIGHTS),
                                              HOST(SCM_TIMESTAMP),
                                              HOST(SCM_TIMESTAMPNS),
                                              HOST(SCM_TIMESTAMPING),
                                              HOST(TCP_ESTABLISHED),
                                              HOST(TCP_SYN_SENT),
                                              HOST(TCP_SYN_RECV),
                                              HOST(TCP_FIN_WAIT1),
                                              HOST(TCP_FIN_WAIT2),
                                              HOST(TCP_TIME_WAIT),
                                              HOST(TCP_CLOSE),
                                              HOST(TCP_CLOSE_WAIT),
                                              HOST(TCP_LAST_ACK),
                                              HOST(TCP_LISTEN),
                                              HOST(TCP_CLOSING),
                                              HOST(TCP_CA_Open),
                                              HOST(TCP_CA_Disorder),
                                              HOST(TCP_CA_CWR),
                                              HOST(TCP_CA_Recovery),
                                              HOST(TCP_CA_Loss),
                                              HOST(TCPI_OPT_TIMESTAMPS),
                                              HOST(TCPI_OPT_SACK),
                                              HOST(TCPI_OPT_WSCALE),
                                              HOST(TCPI_OPT_ECN),
                                              HOST(TCPI_OPT_ECN_SEEN),
                                              HOST(TCPI_OPT_SYN_DATA),
                                              HOST(EPERM),
                                              HOST(ENOENT),
                                              HOST(EINTR),
                                              HOST(EIO),
                                              HOST(EBADF),
                                              HOST(EAGAIN),
                                              HOST(EWOULDBLOCK),
                                              HOST(ENOMEM),
                                              HOST(EACCES),
                                              HOST(EFAULT),
                                              HOST(EBUSY),
                                              HOST(EEXIST),
                                              HOST(ENODEV),
                                              HOST(EINVAL),
                                              HOST(ENFILE),
                                              HOST(EMFILE),
                                              HOST(ENOSPC),
                                              HOST(ESPIPE),
                                              HOST(EPIPE),
                                              HOST(EDOM),
                                              HOST(ENOSYS),
                                              HOST(ELOOP),
                                              HOST(ENOMSG),
                                              HOST(EPROTO),
                                              HOST(EOVERFLOW),
                                              HOST(ENOTSOCK),
                                              HOST(EDESTADDRREQ),
                                              HOST(EMSGSIZE),
                                              HOST(EPROTOTYPE),
                                              HOST(ENOPROTOOPT),
                                              HOST(EPROTONOSUPPORT),
                                              HOST(ESOCKTNOSUPPORT),
                                              HOST(EOPNOTSUPP),
                                              HOST(ENOTSUP),
                                              HOST(EPFNOSUPPORT),
                                              HOST(EAFNOSUPPORT),
                                              HOST(EADDRINUSE),
                                              HOST(EADDRNOTAVAIL),
                                              HOST(ENETDOWN),
                                              HOST(ENETUNREACH),
                                              HOST(ENETRESET),
                                              HOST(ECONNABORTED),
                                              HOST(ECONNRESET),
                                              HOST(ENOBUFS),
                                              HOST(EISCONN),
                                              HOST(ENOTCONN),
                                              HOST(ESHUTDOWN),
                                              HOST(ETOOMANYREFS),
                                              HOST(ETIMEDOUT),
                                              HOST(ECONNREFUSED),
                                              HOST(EHOSTDOWN),
                                              HOST(EHOSTUNREACH),
                                              HOST(EALREADY),
                                              HOST(EINPROGRESS),
                                              HOST(ECANCELED)};

#undef HOST

TEST(LinuxConstants, AreThoseOfTheHostsHeaders) {
  size_t compared = 0;
  for (const auto& table : kLinuxConstants) {
    for (const LinuxConstant& constant : table) {
      const auto host = kHost.find(std::string(constant.name));
      ASSERT_NE(host, kHost.end()) << constant.name;
      EXPECT_EQ(constant.value, host->second) << constant.name;
      ++compared;
    }
  }
  EXPECT_EQ(compared, kHost.size()) << "a name twice, or one missing";
}

TEST(LinuxConstants, AreFoundByName) {
  EXPECT_EQ(ConstantNumber("SO_LINGER"), 13);
  EXPECT_EQ(ConstantNumber("EPOLLET"), 0x80000000);
  EXPECT_EQ(ConstantNumber("SO_LINGERIE"), std::nullopt);
  EXPECT_EQ(ConstantNumber(""), std::nullopt);
  static_assert(Linux("EAGAIN") == 11);
}

TEST(LinuxConstants, ErrorsAndOptionsAreNamedByNumber) {
  EXPECT_EQ(ErrnoName(104), "ECONNRESET");
  EXPECT_EQ(ErrnoName(11), "EAGAIN");  // not EWOULDBLOCK
  EXPECT_EQ(ErrnoName(9999), "");
  EXPECT_EQ(OptionName(6, 3), "TCP_CORK");
  EXPECT_EQ(OptionName(1, 3), "SO_TYPE");
  EXPECT_EQ(OptionName(0, 1), "IP_TOS");
  EXPECT_EQ(OptionName(41, 26), "IPV6_V6ONLY");
  EXPECT_EQ(OptionName(6, 999), "");
  EXPECT_EQ(OptionName(77, 1), "");
}

TEST(LinuxConstants, FlagsAreWrittenAsScriptsWriteThem) {
  EXPECT_EQ(FlagsText(kPollEvents, 0), "0");
  EXPECT_EQ(FlagsText(kPollEvents, 0x15), "POLLIN|POLLOUT|POLLHUP");
  EXPECT_EQ(FlagsText(kEpollEvents, 0x80000001), "EPOLLIN|EPOLLET");
  EXPECT_EQ(FlagsText(kPollEvents, 0x8001), "POLLIN|0x8000");
  EXPECT_EQ(FlagsText(kFileFlags, 0x802), "O_RDWR|O_NONBLOCK");
}

}  // namespace
}  // namespace conformance
