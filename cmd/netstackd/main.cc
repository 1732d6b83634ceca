// netstackd: flags, a TUN device, its shards, the gRPC server, signals.
#include <errno.h>
#include <fcntl.h>
#include <grpc/grpc.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "cmd/netstackd/options.h"
#include "cmd/netstackd/settings.h"
#include "cmd/standard_descriptors.h"
#include "service/server.h"
#include "service/shard_client.h"
#include "tcpip/link/link.h"
#include "tcpip/shard/command.h"
#include "tcpip/shard/device_news.h"
#include "tcpip/shard/shard_config.h"
#include "tcpip/shard/shard_group.h"
#include "tcpip/tun/tun_device.h"
#include "tcpip/tun/tun_offload.h"
#include "tcpip/tun/tun_queue.h"
#include "tcpip/wire/address.h"

namespace netstack {
namespace {

constexpr char kVersion[] = "0.1.0";

enum ExitCode {
  kStopped = 0,
  kFailed = 1,
  kUsage = 2,
  kNotPermitted = 3,
  kDevice = 4,
};

int Complain(int code, const absl::Status& status) {
  std::fprintf(stderr, "netstackd: %s\n",
               std::string(status.message()).c_str());
  return code;
}

int ExitCodeFor(const absl::Status& status, int otherwise) {
  switch (status.code()) {
    case absl::StatusCode::kPermissionDenied:
      return kNotPermitted;
    case absl::StatusCode::kInvalidArgument:
      return kUsage;
    default:
      return otherwise;
  }
}

// A command, and its answer here.
absl::Status CallAndWait(service::ShardClient& client,
                         tcpip::command::Body body) {
  std::promise<absl::Status> answered;
  client.Call(std::move(body), [&answered](tcpip::Reply reply) {
    answered.set_value(std::move(reply.status));
  });
  return answered.get_future().get();
}

absl::Status SetUpNetwork(const DaemonOptions& options,
                          const std::string& interface,
                          tcpip::CommandTarget& shards) {
  service::ShardClient client(shards);
  for (const std::string& text : options.address) {
    const absl::Status status = CallAndWait(
        client,
        tcpip::command::AddAddress{interface, *tcpip::Cidr::Parse(text)});
    if (!status.ok()) return OfFlag("address", status);
  }
  std::vector<std::string> routes = options.route;
  if (routes.empty()) routes = {"0.0.0.0/0", "::/0"};
  for (const std::string& text : routes) {
    const absl::Status status =
        CallAndWait(client, tcpip::command::AddRoute{
                                tcpip::Cidr::Parse(text)->Masked(), interface});
    if (!status.ok()) return OfFlag("route", status);
  }
  return absl::OkStatus();
}

service::ServerConfig ServerConfigFor(const DaemonOptions& options,
                                      const std::string& interface) {
  service::ServerConfig config;
  config.interface = interface;
  config.max_streams = options.max_streams;
  for (absl::string_view url : options.listen) {
    if (absl::ConsumePrefix(&url, "unix://")) {
      config.unix_paths.emplace_back(url);
    } else {
      absl::ConsumePrefix(&url, "tcp://");
      config.tcp_endpoints.emplace_back(url);
    }
  }
  return config;
}

// sd_notify(3) in its smallest form: one datagram to $NOTIFY_SOCKET.
void NotifyServiceManager(const char* state) {
  const char* path = std::getenv("NOTIFY_SOCKET");
  if (path == nullptr) return;
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  const size_t length = std::strlen(path);
  if (length == 0 || length >= sizeof address.sun_path) return;
  std::memcpy(address.sun_path, path, length);
  if (address.sun_path[0] == '@') address.sun_path[0] = '\0';
  const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return;
  sendto(fd, state, std::strlen(state), MSG_NOSIGNAL,
         reinterpret_cast<const sockaddr*>(&address),
         static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + length));
  close(fd);
}

void AnnounceReady(const DaemonOptions& options) {
  NotifyServiceManager("READY=1");
  if (!options.ready_fd.has_value()) return;
  if (write(*options.ready_fd, "1\n", 2) != 2) {
    spdlog::warn("ready-fd={} cannot be written", *options.ready_fd);
  }
  if (*options.ready_fd > STDERR_FILENO) close(*options.ready_fd);
}

// A descriptor nobody passed would become one of our own.
absl::Status CheckDescriptors(const DaemonOptions& options) {
  const std::pair<const char*, std::optional<int>> passed[] = {
      {"tun-fd", options.tun_fd}, {"ready-fd", options.ready_fd}};
  for (const auto& [name, fd] : passed) {
    if (fd.has_value() && fcntl(*fd, F_GETFD) < 0) {
      return OfFlag(name, absl::InvalidArgumentError(
                              absl::StrCat(*fd, " is not an open descriptor")));
    }
  }
  return absl::OkStatus();
}

absl::Status WritePidFile(const std::string& path) {
  if (path.empty()) return absl::OkStatus();
  std::FILE* file = std::fopen(path.c_str(), "w");
  const bool written =
      file != nullptr && std::fprintf(file, "%d\n", getpid()) > 0;
  if (file != nullptr && std::fclose(file) == 0 && written) {
    return absl::OkStatus();
  }
  return absl::InternalError(absl::StrCat(
      "--pid-file: '", path, "' cannot be written: ", std::strerror(errno)));
}

// SIGTERM and its kin become readable here; blocked before any thread starts.
int BlockStopSignals() {
  signal(SIGPIPE, SIG_IGN);
  sigset_t stop;
  sigemptyset(&stop);
  sigaddset(&stop, SIGTERM);
  sigaddset(&stop, SIGINT);
  sigaddset(&stop, SIGHUP);  // the terminal it was started in is gone
  pthread_sigmask(SIG_BLOCK, &stop, nullptr);
  return signalfd(-1, &stop, SFD_CLOEXEC);
}

void WaitForSignal(int signal_fd) {
  signalfd_siginfo info;
  while (read(signal_fd, &info, sizeof info) != sizeof info) {
  }
}

void DrainAndStop(const DaemonOptions& options, service::Server& server,
                  tcpip::ShardGroup& shards, int signal_fd) {
  spdlog::info("draining streams={} timeout_ms={}", server.streams(),
               options.drain_timeout.milliseconds());
  NotifyServiceManager("STOPPING=1");
  std::thread([signal_fd] {
    WaitForSignal(signal_fd);
    spdlog::warn("stopped at once by a second signal");
    std::_Exit(kFailed);
  }).detach();
  if (server.Drain(options.drain_timeout)) return;
  spdlog::warn("drain timed out, resetting streams={}", server.streams());
  shards.Stop();
  // Whoever reads his stream hears the reason.
  server.Drain(tcpip::Duration::Seconds(1));
}

tcpip::TunOptions TunOptionsFor(const DaemonOptions& options) {
  return {.name = options.tun,
          .fd = options.tun_fd,
          .offload = options.tun_offload,
          .mtu = options.mtu,
          .bring_up = !options.tun_fd.has_value()};
}

// Tells the log. A device of our own that is deleted is not wanted any more;
// one that somebody else made may come back, and connections wait for it.
class DeviceLog final : public tcpip::DeviceObserver {
 public:
  DeviceLog(std::string interface, bool created)
      : interface_(std::move(interface)), created_(created) {}

  void OnLinkLost() override {
    if (!created_) {
      spdlog::warn("tun={} is gone; waiting for it to come back", interface_);
      return;
    }
    spdlog::error(
        "tun={} is gone; stopping, as nobody but this process made it (one "
        "made before, with ip tuntap add, is waited for)",
        interface_);
    lost_for_good_ = true;
    kill(getpid(), SIGTERM);
  }
  void OnLinkUnusable(const absl::Status& why) override {
    spdlog::warn("tun={} is still waited for: {}", interface_,
                 std::string(why.message()));
  }
  void OnLinkBack() override { spdlog::info("tun={} is back", interface_); }
  void OnOffloadsRefused(const tcpip::LinkOffloads& refused) override {
    spdlog::warn("tun={} keeps refusing {}; done in software from now on",
                 interface_, tcpip::ToString(refused));
  }

  bool lost_for_good() const { return lost_for_good_; }

 private:
  const std::string interface_;
  const bool created_;
  std::atomic<bool> lost_for_good_ = false;
};

// A quarter, since a daemon seldom has the machine for itself and the kernel's
// own TCP takes an eighth; the free blocks that are kept come on top.
uint64_t DefaultMemory() {
  return static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) *
         static_cast<uint64_t>(sysconf(_SC_PAGESIZE)) / 4;
}

tcpip::ShardConfig ShardConfigFor(const DaemonOptions& options,
                                  const std::string& interface) {
  tcpip::ShardConfig config;
  // No queue is ever full for a stream that was let in.
  constexpr uint32_t kCommandsPerStream = 4;  // at most, at a time
  constexpr uint32_t kOtherCommands = 1024;   // those of netstackctl
  const uint32_t commands =
      kCommandsPerStream * options.max_streams + kOtherCommands;
  config.max_queued_commands = commands;
  config.max_pending_commands = commands;
  const uint64_t memory =
      options.max_memory == 0 ? DefaultMemory() : options.max_memory;
  config.stack.memory_budget = memory / options.shards;
  config.stack.tcp.ecn = options.ecn;
  config.interface.name = interface;
  config.interface.any_address = options.any_address;
  config.interface.spoofing = options.any_source;
  return config;
}

int Run(const DaemonOptions& options) {
  const int signal_fd = BlockStopSignals();
  // Never given back: the last reference would wait for gRPC's own threads,
  // which can take ten seconds.
  grpc_init();
  absl::StatusOr<std::vector<tcpip::TunDevice>> queues =
      tcpip::OpenTunQueues(TunOptionsFor(options), options.shards);
  if (!queues.ok()) {
    return Complain(ExitCodeFor(queues.status(), kDevice), queues.status());
  }
  const tcpip::TunDevice& device = queues->front();
  const std::string name = device.name();
  spdlog::info("tun={} mtu={} rx={} tx={} created={} queues={}", name,
               device.mtu, tcpip::ToString(device.rx),
               tcpip::ToString(device.tx), device.created, queues->size());
  if (options.address.empty()) {
    spdlog::warn(
        "no --address: nothing can be reached until one is added with "
        "netstackctl addr add");
  }

  DeviceLog device_log(name, device.created);
  std::vector<std::unique_ptr<tcpip::Link>> links;
  for (tcpip::TunDevice& queue : *queues) {
    links.push_back(std::make_unique<tcpip::TunQueue>(std::move(queue)));
  }
  tcpip::ShardGroup shards(ShardConfigFor(options, name), std::move(links), {},
                           &device_log);
  absl::Status status = SetUpNetwork(options, name, shards);
  if (!status.ok()) return Complain(kUsage, status);

  auto server = service::Server::Start(ServerConfigFor(options, name), shards);
  if (!server.ok()) {
    return Complain(ExitCodeFor(server.status(), kFailed), server.status());
  }
  if (absl::Status written = WritePidFile(options.pid_file); !written.ok()) {
    return Complain(kFailed, written);
  }
  for (const std::string& url : options.listen) {
    spdlog::info("serving listen={}", url);
  }
  AnnounceReady(options);
  WaitForSignal(signal_fd);
  // Without a device nothing can be drained.
  const bool link_lost = device_log.lost_for_good();
  if (!link_lost) DrainAndStop(options, **server, shards, signal_fd);
  if (!options.pid_file.empty()) unlink(options.pid_file.c_str());
  spdlog::info("stopped");
  return link_lost ? kDevice : kStopped;
}

int Main(const std::vector<std::string>& args) {
  const absl::StatusOr<DaemonOptions> options = ParseDaemonOptions(args);
  if (!options.ok()) return Complain(kUsage, options.status());
  if (options->help) return std::fputs(DaemonHelp().c_str(), stdout) < 0;
  if (options->version) {
#ifdef NDEBUG
    constexpr const char* kBuild = "";
#else
    constexpr const char* kBuild = ", built without --config=opt: slow";
#endif
    std::printf("netstackd %s (API netstack.v1%s)\n", kVersion, kBuild);
    return kStopped;
  }
  const absl::Status descriptors = CheckDescriptors(*options);
  if (!descriptors.ok()) return Complain(kUsage, descriptors);
  if (options->check) {
    std::printf("netstackd: the configuration is good\n");
    return kStopped;
  }
  spdlog::set_default_logger(spdlog::stderr_logger_mt("netstackd"));
  spdlog::set_pattern("%Y-%m-%dT%H:%M:%S.%e %l %v");
  spdlog::set_level(spdlog::level::from_str(options->log_level));
  return Run(*options);
}

}  // namespace
}  // namespace netstack

int main(int argc, char** argv) {
  netstack::OpenStandardDescriptors();
  // What is wrong is said once, by us.
  setenv("GRPC_VERBOSITY", "NONE", /*overwrite=*/0);
  const int code =
      netstack::Main(std::vector<std::string>(argv + 1, argv + argc));
  std::fflush(stdout);
  std::_Exit(code);  // past what exit() would wait for
}
