#include "conformance/kernel_calls.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace conformance {
namespace {

using tcpip::IpAddress;
using tcpip::IpEndpoint;

CallResult Returned(int64_t value) {
  CallResult result;
  result.value = value;
  if (value < 0) {
    result.value = -1;
    result.error = errno;
  }
  return result;
}

struct SocketAddress {
  sockaddr_storage storage = {};
  socklen_t size = sizeof(sockaddr_storage);
  sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }
};

int DomainOf(int fd) {
  int domain = AF_INET;
  socklen_t size = sizeof domain;
  getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &size);
  return domain;
}

SocketAddress AddressFor(int fd, const IpEndpoint& endpoint) {
  SocketAddress address;
  if (DomainOf(fd) == AF_INET6) {
    auto* v6 = reinterpret_cast<sockaddr_in6*>(&address.storage);
    v6->sin6_family = AF_INET6;
    v6->sin6_port = htons(endpoint.port);
    std::memcpy(&v6->sin6_addr, endpoint.address.mapped_bytes().data(), 16);
    address.size = sizeof *v6;
  } else {
    auto* v4 = reinterpret_cast<sockaddr_in*>(&address.storage);
    v4->sin_family = AF_INET;
    v4->sin_port = htons(endpoint.port);
    std::memcpy(&v4->sin_addr, endpoint.address.bytes().data(), 4);
    address.size = sizeof *v4;
  }
  return address;
}

std::optional<IpEndpoint> EndpointOf(const SocketAddress& address) {
  if (address.storage.ss_family == AF_INET) {
    const auto* v4 = reinterpret_cast<const sockaddr_in*>(&address.storage);
    return IpEndpoint{IpAddress::FromIpv4Bytes(
                          reinterpret_cast<const uint8_t*>(&v4->sin_addr)),
                      ntohs(v4->sin_port)};
  }
  if (address.storage.ss_family == AF_INET6) {
    const auto* v6 = reinterpret_cast<const sockaddr_in6*>(&address.storage);
    return IpEndpoint{IpAddress::FromIpv6Bytes(
                          reinterpret_cast<const uint8_t*>(&v6->sin6_addr)),
                      ntohs(v6->sin6_port)};
  }
  return std::nullopt;
}

// Buffers of zeros for a gathered or scattered call.
struct Buffers {
  explicit Buffers(const std::vector<uint32_t>& lengths) {
    for (const uint32_t length : lengths) bytes.emplace_back(length);
    for (auto& buffer : bytes) {
      vectors.push_back({buffer.data(), buffer.size()});
    }
  }
  std::vector<std::vector<uint8_t>> bytes;
  std::vector<iovec> vectors;
};

std::vector<ControlMessage> ReadControl(msghdr& message) {
  std::vector<ControlMessage> control;
  for (cmsghdr* c = CMSG_FIRSTHDR(&message); c != nullptr;
       c = CMSG_NXTHDR(&message, c)) {
    const uint8_t* data = CMSG_DATA(c);
    control.push_back({c->cmsg_level,
                       c->cmsg_type,
                       {data, data + (c->cmsg_len - CMSG_LEN(0))}});
  }
  return control;
}

// Every field of tcp_info that the kernel filled, by name.
class InfoReader {
 public:
  // The kernel wrote the first `size` bytes.
  InfoReader(const tcp_info& info, size_t size) : info_(info), size_(size) {}

  template <typename T>
  void Add(const char* name, T tcp_info::*field) {
    const auto* end =
        reinterpret_cast<const char*>(&(info_.*field)) + sizeof(T);
    if (end > reinterpret_cast<const char*>(&info_) + size_) return;
    fields_[name] = static_cast<int64_t>(info_.*field);
  }
  InfoFields Take() { return std::move(fields_); }

 private:
  const tcp_info& info_;
  size_t size_;
  InfoFields fields_;
};

InfoFields ReadInfo(const tcp_info& info, size_t size) {
  InfoReader reader(info, size);
  reader.Add("tcpi_state", &tcp_info::tcpi_state);
  reader.Add("tcpi_ca_state", &tcp_info::tcpi_ca_state);
  reader.Add("tcpi_retransmits", &tcp_info::tcpi_retransmits);
  reader.Add("tcpi_probes", &tcp_info::tcpi_probes);
  reader.Add("tcpi_backoff", &tcp_info::tcpi_backoff);
  reader.Add("tcpi_options", &tcp_info::tcpi_options);
  reader.Add("tcpi_rto", &tcp_info::tcpi_rto);
  reader.Add("tcpi_ato", &tcp_info::tcpi_ato);
  reader.Add("tcpi_snd_mss", &tcp_info::tcpi_snd_mss);
  reader.Add("tcpi_rcv_mss", &tcp_info::tcpi_rcv_mss);
  reader.Add("tcpi_unacked", &tcp_info::tcpi_unacked);
  reader.Add("tcpi_sacked", &tcp_info::tcpi_sacked);
  reader.Add("tcpi_lost", &tcp_info::tcpi_lost);
  reader.Add("tcpi_retrans", &tcp_info::tcpi_retrans);
  reader.Add("tcpi_fackets", &tcp_info::tcpi_fackets);
  reader.Add("tcpi_pmtu", &tcp_info::tcpi_pmtu);
  reader.Add("tcpi_rcv_ssthresh", &tcp_info::tcpi_rcv_ssthresh);
  reader.Add("tcpi_rtt", &tcp_info::tcpi_rtt);
  reader.Add("tcpi_rttvar", &tcp_info::tcpi_rttvar);
  reader.Add("tcpi_snd_ssthresh", &tcp_info::tcpi_snd_ssthresh);
  reader.Add("tcpi_snd_cwnd", &tcp_info::tcpi_snd_cwnd);
  reader.Add("tcpi_advmss", &tcp_info::tcpi_advmss);
  reader.Add("tcpi_reordering", &tcp_info::tcpi_reordering);
  reader.Add("tcpi_rcv_rtt", &tcp_info::tcpi_rcv_rtt);
  reader.Add("tcpi_rcv_space", &tcp_info::tcpi_rcv_space);
  reader.Add("tcpi_total_retrans", &tcp_info::tcpi_total_retrans);
  reader.Add("tcpi_pacing_rate", &tcp_info::tcpi_pacing_rate);
  reader.Add("tcpi_bytes_acked", &tcp_info::tcpi_bytes_acked);
  reader.Add("tcpi_bytes_received", &tcp_info::tcpi_bytes_received);
  reader.Add("tcpi_segs_out", &tcp_info::tcpi_segs_out);
  reader.Add("tcpi_segs_in", &tcp_info::tcpi_segs_in);
  reader.Add("tcpi_notsent_bytes", &tcp_info::tcpi_notsent_bytes);
  reader.Add("tcpi_min_rtt", &tcp_info::tcpi_min_rtt);
  reader.Add("tcpi_data_segs_in", &tcp_info::tcpi_data_segs_in);
  reader.Add("tcpi_data_segs_out", &tcp_info::tcpi_data_segs_out);
  reader.Add("tcpi_delivery_rate", &tcp_info::tcpi_delivery_rate);
  reader.Add("tcpi_busy_time", &tcp_info::tcpi_busy_time);
  reader.Add("tcpi_rwnd_limited", &tcp_info::tcpi_rwnd_limited);
  reader.Add("tcpi_sndbuf_limited", &tcp_info::tcpi_sndbuf_limited);
  reader.Add("tcpi_delivered", &tcp_info::tcpi_delivered);
  reader.Add("tcpi_delivered_ce", &tcp_info::tcpi_delivered_ce);
  reader.Add("tcpi_bytes_sent", &tcp_info::tcpi_bytes_sent);
  reader.Add("tcpi_bytes_retrans", &tcp_info::tcpi_bytes_retrans);
  reader.Add("tcpi_dsack_dups", &tcp_info::tcpi_dsack_dups);
  reader.Add("tcpi_reord_seen", &tcp_info::tcpi_reord_seen);
  reader.Add("tcpi_rcv_ooopack", &tcp_info::tcpi_rcv_ooopack);
  reader.Add("tcpi_snd_wnd", &tcp_info::tcpi_snd_wnd);
  InfoFields fields = reader.Take();
  // Bit fields have no address.
  fields["tcpi_snd_wscale"] = info.tcpi_snd_wscale;
  fields["tcpi_rcv_wscale"] = info.tcpi_rcv_wscale;
  return fields;
}

struct Runner {
  CallResult operator()(const call::Socket& c) {
    return Returned(socket(c.domain, c.type, c.protocol));
  }
  CallResult operator()(const call::Bind& c) {
    SocketAddress address = AddressFor(c.fd, c.local);
    return Returned(bind(c.fd, address.get(), address.size));
  }
  CallResult operator()(const call::Listen& c) {
    return Returned(listen(c.fd, c.backlog));
  }
  CallResult operator()(const call::Accept& c) {
    SocketAddress peer;
    CallResult result =
        Returned(accept4(c.fd, peer.get(), &peer.size, c.flags));
    if (result.error == 0) result.peer = EndpointOf(peer);
    return result;
  }
  CallResult operator()(const call::Connect& c) {
    SocketAddress address = AddressFor(c.fd, c.remote);
    return Returned(connect(c.fd, address.get(), address.size));
  }
  CallResult operator()(const call::Receive& c) {
    Buffers buffers(c.lengths);
    std::vector<uint8_t> control(c.control_length);
    SocketAddress peer;
    msghdr message = {};
    message.msg_name = peer.get();
    message.msg_namelen = peer.size;
    message.msg_iov = buffers.vectors.data();
    message.msg_iovlen = buffers.vectors.size();
    message.msg_control = control.empty() ? nullptr : control.data();
    message.msg_controllen = control.size();
    CallResult result = Returned(recvmsg(c.fd, &message, c.flags));
    if (result.error != 0) return result;
    if (message.msg_namelen > 0) result.peer = EndpointOf(peer);
    result.message_flags = message.msg_flags;
    result.control = ReadControl(message);
    return result;
  }
  CallResult operator()(const call::Send& c) {
    Buffers buffers(c.lengths);
    SocketAddress peer;
    msghdr message = {};
    if (c.to) {
      peer = AddressFor(c.fd, *c.to);
      message.msg_name = peer.get();
      message.msg_namelen = peer.size;
    }
    message.msg_iov = buffers.vectors.data();
    message.msg_iovlen = buffers.vectors.size();
    // The signal is for programs that a script does not stand for.
    return Returned(sendmsg(c.fd, &message, c.flags | MSG_NOSIGNAL));
  }
  CallResult operator()(const call::Fcntl& c) {
    return Returned(fcntl(c.fd, c.command, c.argument));
  }
  CallResult operator()(const call::Ioctl& c) {
    int value = 0;
    CallResult result = Returned(ioctl(c.fd, c.request, &value));
    result.option = value;
    return result;
  }
  CallResult operator()(const call::Close& c) { return Returned(close(c.fd)); }
  CallResult operator()(const call::Shutdown& c) {
    return Returned(shutdown(c.fd, c.how));
  }
  CallResult operator()(const call::GetOption& c) {
    // SOL_TCP is IPPROTO_TCP.
    if (c.level == IPPROTO_TCP && c.name == TCP_INFO) return GetInfo(c.fd);
    if (c.level == IPPROTO_TCP && c.name == TCP_CONGESTION) {
      char name[16] = {};
      socklen_t size = sizeof name;
      CallResult result =
          Returned(getsockopt(c.fd, c.level, c.name, name, &size));
      result.option = std::string(name, strnlen(name, sizeof name));
      return result;
    }
    if (c.level == SOL_SOCKET && c.name == SO_LINGER) {
      linger value = {};
      socklen_t size = sizeof value;
      CallResult result =
          Returned(getsockopt(c.fd, c.level, c.name, &value, &size));
      result.option = call::Linger{value.l_onoff, value.l_linger};
      return result;
    }
    int value = 0;
    socklen_t size = sizeof value;
    CallResult result =
        Returned(getsockopt(c.fd, c.level, c.name, &value, &size));
    result.option = value;
    return result;
  }
  CallResult operator()(const call::SetOption& c) {
    if (const auto* text = std::get_if<std::string>(&c.value)) {
      return Returned(setsockopt(c.fd, c.level, c.name, text->data(),
                                 static_cast<socklen_t>(text->size())));
    }
    if (const auto* value = std::get_if<call::Linger>(&c.value)) {
      const linger native = {value->onoff, value->seconds};
      return Returned(
          setsockopt(c.fd, c.level, c.name, &native, sizeof native));
    }
    const int value = std::get<int>(c.value);
    return Returned(setsockopt(c.fd, c.level, c.name, &value, sizeof value));
  }
  CallResult operator()(const call::Poll& c) {
    std::vector<pollfd> entries;
    for (const call::PollEntry& entry : c.entries) {
      entries.push_back({entry.fd, static_cast<int16_t>(entry.events), 0});
    }
    CallResult result =
        Returned(poll(entries.data(), entries.size(), c.timeout_ms));
    for (const pollfd& entry : entries) {
      result.poll.push_back({entry.fd, entry.events, entry.revents});
    }
    return result;
  }
  CallResult operator()(const call::EpollCreate& c) {
    return Returned(epoll_create1(c.flags));
  }
  CallResult operator()(const call::EpollControl& c) {
    epoll_event event = {};
    event.events = c.event.events;
    event.data.u64 = c.event.data;
    return Returned(epoll_ctl(c.epoll_fd, c.operation, c.fd, &event));
  }
  CallResult operator()(const call::EpollWait& c) {
    std::vector<epoll_event> events(
        static_cast<size_t>(std::max(c.max_events, 1)));
    CallResult result = Returned(
        epoll_wait(c.epoll_fd, events.data(), c.max_events, c.timeout_ms));
    for (int64_t i = 0; i < result.value; ++i) {
      result.epoll.push_back({events[i].events, events[i].data.u64});
    }
    return result;
  }

 private:
  CallResult GetInfo(int fd) {
    tcp_info info = {};
    socklen_t size = sizeof info;
    CallResult result =
        Returned(getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size));
    if (result.error == 0) result.info = ReadInfo(info, size);
    return result;
  }
};

}  // namespace

CallResult RunOnKernel(const Call& call) { return std::visit(Runner(), call); }

}  // namespace conformance
