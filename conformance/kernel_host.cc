#include "conformance/kernel_host.h"

#include <errno.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "conformance/kernel_calls.h"
#include "conformance/kernel_network.h"
#include "tcpip/testing/packet_reader.h"
#include "tcpip/wire/ipv4.h"

namespace conformance {
namespace {

using tcpip::Duration;

int64_t ClockNs() {
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

// What a kernel says by itself on any device: neighbours, routers, groups.
bool IsHousekeeping(tcpip::ByteSpan packet) {
  constexpr uint8_t kIgmp = 2;
  const auto read = tcpip::sim::Read(packet);
  if (!read) return !packet.empty() && packet[0] >> 4 == 6;
  if (read->protocol == kIgmp) return true;
  // [RFC 4861 4] and [RFC 3810 5]: types 130 to 143.
  return read->protocol == tcpip::wire::kIcmpv6 && !read->transport.empty() &&
         read->transport[0] >= 130 && read->transport[0] <= 143;
}

bool MakesDescriptor(const Call& call) {
  return std::holds_alternative<call::Socket>(call) ||
         std::holds_alternative<call::Accept>(call) ||
         std::holds_alternative<call::EpollCreate>(call);
}

// Resets a connection and leaves the descriptor open: what connect() to no
// address does. Listeners and other sockets stay as they are.
void Abort(int fd) {
  int type = 0;
  int listens = 0;
  socklen_t size = sizeof(int);
  if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) != 0 ||
      getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) != 0 ||
      type != SOCK_STREAM || listens != 0) {
    return;
  }
  sockaddr nobody = {};
  nobody.sa_family = AF_UNSPEC;
  // Refused while a call waits for the connection: that ends with a FIN.
  if (connect(fd, &nobody, sizeof nobody) != 0) shutdown(fd, SHUT_RDWR);
}

}  // namespace

absl::StatusOr<std::unique_ptr<Host>> KernelHost::Make(
    const HostConfig& config) {
  const absl::StatusOr<int> tun = EnterNetwork(config);
  if (!tun.ok()) return tun.status();
  return std::unique_ptr<Host>(new KernelHost(*tun));
}

KernelHost::KernelHost(int tun)
    : tun_(tun),
      stop_event_(eventfd(0, EFD_CLOEXEC)),
      start_ns_(ClockNs()),
      reader_([this] { ReadDevice(); }),
      caller_([this] { MakeCalls(); }) {}

KernelHost::~KernelHost() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stopping_ = true;
    to_make_.clear();
    // A call that blocks ends when its socket is shut down.
    for (const int fd : descriptors_) {
      RunOnKernel(call::Shutdown{.fd = fd, .how = 2});
    }
  }
  changed_.notify_all();
  const uint64_t one = 1;
  if (write(stop_event_, &one, sizeof one) < 0) std::abort();
  reader_.join();
  caller_.join();
  for (const int fd : descriptors_) close(fd);
  close(stop_event_);
  close(tun_);
}

Duration KernelHost::now() const {
  return Duration::Nanoseconds(ClockNs() - start_ns_);
}

void KernelHost::ReadDevice() {
  std::array<uint8_t, 65536> buffer;
  std::array<pollfd, 2> entries = {pollfd{tun_, POLLIN, 0},
                                   pollfd{stop_event_, POLLIN, 0}};
  while (true) {
    const ssize_t size = read(tun_, buffer.data(), buffer.size());
    if (size > 0) {
      const Duration at = now();
      const tcpip::ByteSpan packet(buffer.data(), static_cast<size_t>(size));
      if (IsHousekeeping(packet)) continue;
      const std::lock_guard<std::mutex> lock(mutex_);
      sent_.push_back({at, {packet.begin(), packet.end()}});
      changed_.notify_all();
      continue;
    }
    if (size < 0 && errno != EAGAIN && errno != EINTR) return;
    poll(entries.data(), entries.size(), -1);
    if (entries[1].revents != 0) return;
  }
}

void KernelHost::MakeCalls() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return stopping_ || !to_make_.empty(); });
    if (stopping_) return;
    const auto [id, call] = std::move(to_make_.front());
    to_make_.pop_front();
    lock.unlock();
    CallResult result = RunOnKernel(call);
    const Duration at = now();
    lock.lock();
    if (result.error == 0 && MakesDescriptor(call)) {
      descriptors_.push_back(static_cast<int>(result.value));
    }
    if (const auto* closed = std::get_if<call::Close>(&call);
        closed != nullptr && result.error == 0) {
      std::erase(descriptors_, closed->fd);
    }
    finished_.emplace(id, Finished{at, std::move(result)});
    changed_.notify_all();
  }
}

template <typename Done>
bool KernelHost::WaitUntil(std::unique_lock<std::mutex>& lock, Duration until,
                           Done done) {
  const auto deadline = std::chrono::steady_clock::time_point(
      std::chrono::nanoseconds(start_ns_ + until.nanoseconds()));
  return changed_.wait_until(lock, deadline, done);
}

void KernelHost::AdvanceTo(Duration when) {
  std::unique_lock<std::mutex> lock(mutex_);
  WaitUntil(lock, when, [] { return false; });
}

void KernelHost::Inject(tcpip::ByteSpan packet) {
  // A device that is full would be a fault of this machine; the script sees
  // that nothing comes of the packet.
  const ssize_t written = write(tun_, packet.data(), packet.size());
  static_cast<void>(written);
}

std::optional<SentPacket> KernelHost::NextPacket(Duration until) {
  std::unique_lock<std::mutex> lock(mutex_);
  if (!WaitUntil(lock, until, [this] { return !sent_.empty(); })) {
    return std::nullopt;
  }
  SentPacket packet = std::move(sent_.front());
  sent_.pop_front();
  return packet;
}

Host::CallId KernelHost::StartCall(const Call& call) {
  const std::lock_guard<std::mutex> lock(mutex_);
  to_make_.emplace_back(++last_id_, call);
  changed_.notify_all();
  return last_id_;
}

std::optional<Host::Finished> KernelHost::FinishCall(CallId id,
                                                     Duration until) {
  std::unique_lock<std::mutex> lock(mutex_);
  const auto is_there = [this, id] { return finished_.contains(id); };
  if (!WaitUntil(lock, until, is_there)) return std::nullopt;
  const auto node = finished_.extract(id);
  return std::move(node.mapped());
}

std::vector<std::string> KernelHost::TcpStates() {
  // /proc/net/tcp, by the numbers of include/net/tcp_states.h.
  constexpr const char* kNames[] = {
      "",           "ESTAB",     "SYN-SENT", "SYN-RECV",   "FIN-WAIT-1",
      "FIN-WAIT-2", "TIME-WAIT", "UNCONN",   "CLOSE-WAIT", "LAST-ACK",
      "LISTEN",     "CLOSING",   "SYN-RECV"};
  std::vector<std::string> states;
  for (const char* path :
       {"/proc/thread-self/net/tcp", "/proc/thread-self/net/tcp6"}) {
    std::ifstream table(path);
    std::string line;
    std::getline(table, line);  // the heading
    while (std::getline(table, line)) {
      // "sl local_address rem_address st ...", the state in hexadecimal.
      std::istringstream words(line);
      std::string slot, local, remote, state;
      words >> slot >> local >> remote >> state;
      const auto number = static_cast<size_t>(std::stoi(state, nullptr, 16));
      if (number < std::size(kNames)) states.emplace_back(kNames[number]);
    }
  }
  return states;
}

void KernelHost::DropConnections() {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const int fd : descriptors_) Abort(fd);
}

}  // namespace conformance
