// The kernel's counterpart of bench_server: the same three services (see
// port_services.h) on ordinary sockets, one epoll loop per thread.
//
//   kernel_server [THREADS]
//
// Prints "ready" when the ports listen. Ends by signal.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <thread>
#include <vector>

#include "bench/kernel_sockets.h"
#include "bench/ports.h"

namespace {

enum class Service : uint8_t { kEcho, kDiscard, kSource };
constexpr uint16_t kPorts[] = {bench::kEchoPort, bench::kDiscardPort,
                               bench::kSourcePort};  // in the order of Service
constexpr size_t kBlock = 256 * 1024;

struct Connection {
  int fd;
  Service service;
  // Source: the request, then what is left of it.
  size_t request_bytes = 0;
  uint8_t request[8] = {};
  uint64_t left = 0;
  bool endless = false;
  // Echo: bytes read and not written yet.
  std::vector<uint8_t> unsent = {};
};

void Die(const char* what) {
  std::perror(what);
  std::exit(1);
}

bool WouldBlock(ssize_t n) {
  return n < 0 && (errno == EAGAIN || errno == EINTR);
}

// Each returns false when the connection is over.

bool Echo(Connection& c, std::vector<uint8_t>& block) {
  while (true) {
    if (!c.unsent.empty()) {
      const ssize_t n =
          send(c.fd, c.unsent.data(), c.unsent.size(), MSG_NOSIGNAL);
      if (n < 0) return WouldBlock(n);
      c.unsent.erase(c.unsent.begin(), c.unsent.begin() + n);
      if (!c.unsent.empty()) return true;
    }
    const ssize_t n = recv(c.fd, block.data(), block.size(), 0);
    if (n <= 0) return WouldBlock(n);
    const ssize_t sent =
        send(c.fd, block.data(), static_cast<size_t>(n), MSG_NOSIGNAL);
    if (sent < 0 && !WouldBlock(sent)) return false;
    const ssize_t done = sent < 0 ? 0 : sent;
    if (done < n) c.unsent.assign(block.data() + done, block.data() + n);
  }
}

bool Discard(Connection& c, std::vector<uint8_t>& block) {
  while (true) {
    const ssize_t n = recv(c.fd, block.data(), block.size(), 0);
    if (n <= 0) return WouldBlock(n);
  }
}

bool Source(Connection& c, const std::vector<uint8_t>& block) {
  while (c.request_bytes < sizeof c.request) {
    const ssize_t n = recv(c.fd, c.request + c.request_bytes,
                           sizeof c.request - c.request_bytes, 0);
    if (n <= 0) return WouldBlock(n);
    c.request_bytes += static_cast<size_t>(n);
    if (c.request_bytes < sizeof c.request) continue;
    for (uint8_t byte : c.request) c.left = c.left << 8 | byte;
    c.endless = c.left == 0;
  }
  while (c.endless || c.left > 0) {
    const size_t want =
        c.endless || c.left > block.size() ? block.size() : c.left;
    const ssize_t n = send(c.fd, block.data(), want, MSG_NOSIGNAL);
    if (n < 0) return WouldBlock(n);
    if (!c.endless) c.left -= static_cast<uint64_t>(n);
  }
  return false;
}

bool Serve(Connection& c, std::vector<uint8_t>& block) {
  switch (c.service) {
    case Service::kEcho:
      return Echo(c, block);
    case Service::kDiscard:
      return Discard(c, block);
    case Service::kSource:
      return Source(c, block);
  }
  return false;
}

void Run(int epoll_fd) {
  std::vector<uint8_t> block(kBlock, 0x5a);
  epoll_event events[256];
  while (true) {
    const int n = epoll_wait(epoll_fd, events, 256, -1);
    for (int i = 0; i < n; ++i) {
      auto* c = static_cast<Connection*>(events[i].data.ptr);
      if (Serve(*c, block)) continue;
      close(c->fd);
      delete c;
    }
  }
}

int Listen(uint16_t port) {
  const int fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) Die("socket");
  const int on = 1, off = 0;
  bench::SetCongestionControl(fd);
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
  sockaddr_in6 address = {};
  address.sin6_family = AF_INET6;
  address.sin6_port = htons(port);
  if (bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) < 0) {
    Die("bind");
  }
  if (listen(fd, 4096) < 0) Die("listen");
  return fd;
}

// Hands new connections to the loops in turn.
void AcceptAll(int listener, Service service, const std::vector<int>& loops) {
  for (size_t next = 0;; ++next) {
    const int fd =
        accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0) continue;
    const int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    epoll_event event = {};
    event.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET;
    event.data.ptr = new Connection{.fd = fd, .service = service};
    epoll_ctl(loops[next % loops.size()], EPOLL_CTL_ADD, fd, &event);
  }
}

}  // namespace

int main(int argc, char** argv) {
  bench::RaiseOpenFileLimit();

  const int threads = argc > 1 ? std::atoi(argv[1]) : 2;
  std::vector<int> loops;
  std::vector<std::thread> running;
  for (int i = 0; i < threads; ++i) {
    loops.push_back(epoll_create1(EPOLL_CLOEXEC));
    running.emplace_back(Run, loops.back());
  }
  for (int i = 0; i < 3; ++i) {
    const int listener = Listen(kPorts[i]);
    running.emplace_back(AcceptAll, listener, static_cast<Service>(i),
                         std::cref(loops));
  }
  std::puts("ready");
  std::fflush(stdout);
  for (std::thread& t : running) t.join();
}
