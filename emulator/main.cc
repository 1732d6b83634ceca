// emulator: a network path between two TUN devices, in real time.
//
// One thread: it waits for packets, room, a signal or the moment the next
// packet is due, and lets Relay do the rest. Only here are clock and devices.
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "emulator/options.h"
#include "emulator/path_spec.h"
#include "emulator/relay.h"
#include "emulator/report.h"
#include "tcpip/base/time.h"
#include "tcpip/link/link.h"
#include "tcpip/shard/host.h"
#include "tcpip/tun/tun_device.h"
#include "tcpip/tun/tun_queue.h"

namespace emulator {
namespace {

using tcpip::Duration;
using tcpip::HostNow;
using tcpip::Instant;
using tcpip::TunQueue;

// To wake up from a sleep takes about as long; so the last bit of a wait is not
// slept.
constexpr Duration kAwake = Duration::Microseconds(150);

enum ExitCode { kStopped = 0, kFailed = 1, kUsageError = 2 };

int Complain(ExitCode code, const absl::Status& status) {
  std::fprintf(stderr, "emulator: %s\n", std::string(status.message()).c_str());
  return code;
}

absl::Status Failure(const std::string& what) {
  return absl::UnavailableError(absl::StrCat(what, ": ", std::strerror(errno)));
}

// Enters another network namespace and comes back when it goes.
class NamespaceVisit {
 public:
  NamespaceVisit() = default;
  ~NamespaceVisit() {
    if (home_ < 0) return;
    setns(home_, CLONE_NEWNET);
    close(home_);
  }
  NamespaceVisit(const NamespaceVisit&) = delete;
  NamespaceVisit& operator=(const NamespaceVisit&) = delete;

  absl::Status Enter(const std::string& path) {
    const int there = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    const std::string what = absl::StrCat("network namespace ", path);
    if (there < 0) return Failure(what);
    home_ = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
    const bool entered = home_ >= 0 && setns(there, CLONE_NEWNET) == 0;
    absl::Status status = entered ? absl::OkStatus() : Failure(what);
    close(there);
    return status;
  }

 private:
  int home_ = -1;
};

// What the device's descriptor and sockets refer to stays in the namespace.
absl::StatusOr<tcpip::TunDevice> OpenDevice(const DeviceOption& device) {
  NamespaceVisit visit;
  if (!device.namespace_path.empty()) {
    absl::Status status = visit.Enter(device.namespace_path);
    if (!status.ok()) return status;
  }
  return tcpip::OpenTun({.name = device.name, .bring_up = true});
}

// One end of the path.
class End {
 public:
  End(tcpip::TunDevice device, const std::string& namespace_path)
      : name_(device.name()),
        queue_(std::move(device)),
        namespace_path_(namespace_path) {}

  TunQueue& queue() { return queue_; }
  int poll_fd() const { return queue_.poll_fd(); }
  const std::string& name() const { return name_; }

  tcpip::LinkCounters Counters() const {
    // What a device has dropped is told in its namespace only.
    NamespaceVisit visit;
    if (!namespace_path_.empty()) visit.Enter(namespace_path_).IgnoreError();
    return queue_.counters();
  }

 private:
  std::string name_;
  TunQueue queue_;
  std::string namespace_path_;
};

// A descriptor from which signals are read; they are not delivered otherwise.
int OpenSignals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGUSR1}) sigaddset(&set, signal);
  sigprocmask(SIG_BLOCK, &set, nullptr);
  return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

// As far as we may. Others would else run for milliseconds while a packet is
// due, and the kernel lets every wait last 50 microseconds longer.
void AskForPunctuality() {
  prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
  // Not where the ends of the path need the same processor.
  if (tcpip::HostProcessors() < 2) return;
  const sched_param lowest = {.sched_priority = 1};
  sched_setscheduler(0, SCHED_RR, &lowest);
}

class Program {
 public:
  Program(const Options& options, tcpip::TunDevice left, tcpip::TunDevice right,
          Instant start)
      : left_(std::move(left), options.left.namespace_path),
        right_(std::move(right), options.right.namespace_path),
        relay_(left_.queue(), right_.queue(),
               {.there = StartingAt(options.there, start),
                .back = StartingAt(options.back, start),
                .seed = options.seed}),
        signals_(OpenSignals()),
        stats_every_(options.stats_every),
        next_stats_(stats_every_ == Duration::Zero() ? Instant::Never()
                                                     : start + stats_every_) {}

  // Until a signal, or the loss of a device, ends it.
  absl::Status Run() {
    absl::Status status;
    while (status.ok() && !stopped_) {
      const bool more = relay_.Read();
      const Instant now = HostNow();
      relay_.Advance(now);
      if (now >= next_stats_) {
        Print();
        next_stats_ += stats_every_;
      }
      status =
          Wait(more ? Instant() : std::min(relay_.NextDeadline(), next_stats_));
    }
    Print();
    return status;
  }

 private:
  // For packets, room, a signal, or until the deadline.
  absl::Status Wait(Instant deadline) {
    const auto events = [this](Relay::Way output) {
      return static_cast<short>(POLLIN |
                                (relay_.IsBlocked(output) ? POLLOUT : 0));
    };
    pollfd fds[] = {{left_.poll_fd(), events(Relay::kBack), 0},
                    {right_.poll_fd(), events(Relay::kThere), 0},
                    {signals_, POLLIN, 0}};
    const Duration left =
        deadline.IsNever()
            ? Duration::Seconds(3600)
            : std::max(deadline - HostNow() - kAwake, Duration::Zero());
    const timespec timeout = {left.nanoseconds() / 1'000'000'000,
                              left.nanoseconds() % 1'000'000'000};
    if (ppoll(fds, std::size(fds), &timeout, nullptr) < 0 && errno != EINTR) {
      return Failure("ppoll");
    }
    for (const auto& [fd, end] :
         {std::pair(fds[0], &left_), std::pair(fds[1], &right_)}) {
      if ((fd.revents & (POLLERR | POLLNVAL)) != 0) {
        return absl::UnavailableError(
            absl::StrCat("the device ", end->name(), " is gone"));
      }
    }
    TakeSignals();
    return absl::OkStatus();
  }

  void TakeSignals() {
    signalfd_siginfo signal;
    while (read(signals_, &signal, sizeof signal) == sizeof signal) {
      if (signal.ssi_signo == SIGUSR1) {
        Print();
      } else {
        stopped_ = true;
      }
    }
  }

  void Print() const {
    PrintWay("there", Relay::kThere, left_, right_);
    PrintWay("back", Relay::kBack, right_, left_);
    std::fflush(stdout);
  }

  void PrintWay(const char* name, Relay::Way way, const End& from,
                const End& to) const {
    const Forwarder& forwarder = relay_.forwarder(way);
    const tcpip::LinkCounters in = from.Counters();
    std::string line =
        absl::StrCat(name, ": ", ReportText(forwarder.path().counters()),
                     "; on the way ", forwarder.packets_on_the_way());
    const struct {
      const char* what;
      uint64_t count;
    } troubles[] = {
        {"dropped before us, we are too slow", in.drops_in},
        {"unreadable", in.bad_frames_in + forwarder.malformed()},
        {"refused by the device", to.Counters().write_errors},
        {"undelivered, the device being down", relay_.undelivered(way)}};
    for (const auto& trouble : troubles) {
      if (trouble.count != 0) {
        absl::StrAppend(&line, "; ", trouble.what, ": ", trouble.count);
      }
    }
    std::printf("%s\n", line.c_str());
  }

  End left_;
  End right_;
  Relay relay_;
  int signals_;
  bool stopped_ = false;
  Duration stats_every_;
  Instant next_stats_;
};

std::string WordsOf(const PathConfig& path) {
  std::string words = ToText(path);
  return words.empty() ? "as it is" : words;
}

int Main(const std::vector<std::string>& args) {
  const absl::StatusOr<Options> options = ParseOptions(args);
  if (!options.ok()) return Complain(kUsageError, options.status());
  if (options->help) {
    std::fputs(kUsage, stdout);
    return kStopped;
  }
  absl::StatusOr<tcpip::TunDevice> left = OpenDevice(options->left);
  if (!left.ok()) return Complain(kFailed, left.status());
  absl::StatusOr<tcpip::TunDevice> right = OpenDevice(options->right);
  if (!right.ok()) return Complain(kFailed, right.status());

  AskForPunctuality();
  Program program(*options, *std::move(left), *std::move(right), HostNow());
  std::printf("%s (%s) <-> %s (%s), seed %llu\n", options->left.name.c_str(),
              WordsOf(options->there).c_str(), options->right.name.c_str(),
              WordsOf(options->back).c_str(),
              static_cast<unsigned long long>(options->seed));
  std::fflush(stdout);
  const absl::Status status = program.Run();
  return status.ok() ? kStopped : Complain(kFailed, status);
}

}  // namespace
}  // namespace emulator

int main(int argc, char** argv) {
  return emulator::Main(std::vector<std::string>(argv + 1, argv + argc));
}
