// Load from kernel sockets for bench/tun. Prints one line of JSON.
//
//   load_client upload   HOST FLOWS SECONDS   to port 7009
//   load_client download HOST FLOWS SECONDS   from port 7019
//   load_client pingpong HOST 1     SECONDS   1 byte each way, port 7007
//   load_client connect  HOST 1     SECONDS   connect and close, port 7009
//   load_client idle     HOST COUNT           holds COUNT connections to 7007
//                                             until its input ends
//
// Bulk is counted after a start-up of a fifth of the time.
#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "bench/kernel_sockets.h"
#include "bench/ports.h"

namespace {

using Clock = std::chrono::steady_clock;

using bench::kDiscardPort;
using bench::kEchoPort;
using bench::kSourcePort;

constexpr size_t kBlock = 256 * 1024;

struct Target {
  sockaddr_storage address = {};
  socklen_t size = 0;
};

[[noreturn]] void Die(const char* what) {
  std::perror(what);
  std::exit(1);
}

Target Resolve(const char* host, uint16_t port) {
  addrinfo hints = {}, *found = nullptr;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
  if (getaddrinfo(host, std::to_string(port).c_str(), &hints, &found) != 0) {
    std::fprintf(stderr, "load_client: not an address: %s\n", host);
    std::exit(2);
  }
  Target target;
  std::memcpy(&target.address, found->ai_addr, found->ai_addrlen);
  target.size = found->ai_addrlen;
  freeaddrinfo(found);
  return target;
}

// Gives up after some seconds instead of hanging with a broken peer.
int Connect(const Target& target) {
  const int fd =
      socket(target.address.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) Die("socket");
  const timeval patience = {10, 0};
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  bench::SetCongestionControl(fd);
  if (connect(fd, reinterpret_cast<const sockaddr*>(&target.address),
              target.size) < 0) {
    Die("connect");
  }
  return fd;
}

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

void Upload(int fd, std::atomic<uint64_t>& bytes) {
  const std::vector<uint8_t> block(kBlock, 0xa5);
  while (true) {
    const ssize_t n = send(fd, block.data(), block.size(), MSG_NOSIGNAL);
    if (n <= 0) return;
    bytes += static_cast<uint64_t>(n);
  }
}

void Download(int fd, std::atomic<uint64_t>& bytes) {
  const uint8_t endless[8] = {};
  if (send(fd, endless, sizeof endless, MSG_NOSIGNAL) != sizeof endless) {
    return;
  }
  std::vector<uint8_t> block(kBlock);
  while (true) {
    const ssize_t n = recv(fd, block.data(), block.size(), 0);
    if (n <= 0) return;
    bytes += static_cast<uint64_t>(n);
  }
}

int Bulk(const char* host, bool upload, int flows, double seconds) {
  const Target target = Resolve(host, upload ? kDiscardPort : kSourcePort);
  std::atomic<uint64_t> bytes = 0;
  std::vector<int> fds;
  std::vector<std::thread> threads;
  fds.reserve(static_cast<size_t>(flows));
  threads.reserve(static_cast<size_t>(flows));
  for (int i = 0; i < flows; ++i) fds.push_back(Connect(target));
  for (int fd : fds) {
    threads.emplace_back(upload ? Upload : Download, fd, std::ref(bytes));
  }
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds / 5));
  const uint64_t before = bytes;
  const Clock::time_point start = Clock::now();
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds * 4 / 5));
  const uint64_t counted = bytes - before;
  const double elapsed = SecondsSince(start);
  for (int fd : fds) {
    const linger reset = {1, 0};  // nobody needs what is still queued
    setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
    shutdown(fd, SHUT_RDWR);
  }
  for (std::thread& t : threads) t.join();
  const uint64_t total = bytes;
  for (int fd : fds) close(fd);
  std::printf("{\"gbit_s\": %.4f, \"total_bytes\": %llu}\n",
              static_cast<double>(counted) * 8 / elapsed / 1e9,
              static_cast<unsigned long long>(total));
  return counted > 0 ? 0 : 1;
}

int PingPong(const char* host, double seconds) {
  const int fd = Connect(Resolve(host, kEchoPort));
  std::vector<double> us;
  us.reserve(1 << 20);
  const Clock::time_point start = Clock::now();
  while (SecondsSince(start) < seconds) {
    const Clock::time_point sent = Clock::now();
    uint8_t byte = 1;
    if (send(fd, &byte, 1, MSG_NOSIGNAL) != 1 || recv(fd, &byte, 1, 0) != 1) {
      Die("pingpong");
    }
    us.push_back(SecondsSince(sent) * 1e6);
  }
  close(fd);
  const size_t rounds = us.size();
  us.erase(us.begin(), us.begin() + static_cast<ptrdiff_t>(us.size() / 10));
  std::sort(us.begin(), us.end());
  std::printf("{\"p50_us\": %.2f, \"p99_us\": %.2f, \"count\": %zu}\n",
              us[us.size() / 2], us[us.size() * 99 / 100], rounds);
  return 0;
}

int ConnectClose(const char* host, double seconds) {
  const Target target = Resolve(host, kDiscardPort);
  uint64_t count = 0;
  const Clock::time_point start = Clock::now();
  while (SecondsSince(start) < seconds) {
    close(Connect(target));
    ++count;
  }
  std::printf("{\"per_second\": %.0f, \"count\": %llu}\n",
              static_cast<double>(count) / SecondsSince(start),
              static_cast<unsigned long long>(count));
  return 0;
}

int Idle(const char* host, int count) {
  const Target target = Resolve(host, kEchoPort);
  std::vector<int> fds;
  fds.reserve(static_cast<size_t>(count));
  for (int i = 0; i < count; ++i) fds.push_back(Connect(target));
  std::printf("{\"held\": %d}\n", count);
  std::fflush(stdout);
  char byte;
  while (read(STDIN_FILENO, &byte, 1) > 0) {
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  bench::RaiseOpenFileLimit();
  if (argc < 4) {
    std::fprintf(stderr, "usage: load_client MODE HOST COUNT [SECONDS]\n");
    return 2;
  }
  const std::string mode = argv[1];
  const char* host = argv[2];
  const int count = std::atoi(argv[3]);
  const double seconds = argc > 4 ? std::atof(argv[4]) : 1.0;
  if (mode == "upload") return Bulk(host, true, count, seconds);
  if (mode == "download") return Bulk(host, false, count, seconds);
  if (mode == "pingpong") return PingPong(host, seconds);
  if (mode == "connect") return ConnectClose(host, seconds);
  if (mode == "idle") return Idle(host, count);
  std::fprintf(stderr, "load_client: unknown mode %s\n", mode.c_str());
  return 2;
}
