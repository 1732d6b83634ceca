// The stack on a TUN device, serving echo, discard and source from inside its
// shards: what bench/tun measures. No gRPC, no configuration file.
//
//   bench_server --tun nst0 --address 10.7.0.2/24[,fd07::2/64...] [--shards 2]
//
// Prints "ready NAME" when it can be used. Ends on SIGINT and SIGTERM.
#include <signal.h>

#include <cstdio>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "bench/port_services.h"
#include "tcpip/link/link.h"
#include "tcpip/shard/shard_config.h"
#include "tcpip/shard/shard_group.h"
#include "tcpip/tun/tun_device.h"
#include "tcpip/tun/tun_queue.h"
#include "tcpip/wire/address.h"

ABSL_FLAG(std::string, tun, "nst0", "name of the TUN device, made if missing");
ABSL_FLAG(std::vector<std::string>, address, {"10.7.0.2/24"},
          "addresses of the stack, CIDR, comma separated");
ABSL_FLAG(bool, offload, true,
          "virtio-net header with checksum and segmentation offload");
ABSL_FLAG(uint32_t, mtu, 0, "MTU to set; 0 leaves the device's");
ABSL_FLAG(uint32_t, shards, 1, "threads, each with a queue of the device");

namespace {

int Fail(const absl::Status& status) {
  std::fprintf(stderr, "bench_server: %s\n", status.ToString().c_str());
  return 1;
}

absl::StatusOr<std::vector<tcpip::Cidr>> ParseAddresses() {
  std::vector<tcpip::Cidr> addresses;
  for (const std::string& text : absl::GetFlag(FLAGS_address)) {
    const std::optional<tcpip::Cidr> address = tcpip::Cidr::Parse(text);
    if (!address) {
      return absl::InvalidArgumentError("--address: not a CIDR: " + text);
    }
    addresses.push_back(*address);
  }
  return addresses;
}

// The services of one shard, and how their start went.
struct Serving {
  explicit Serving(const std::vector<tcpip::Cidr>& addresses)
      : services(addresses,
                 [this](absl::Status s) { started.set_value(std::move(s)); }) {}

  std::promise<absl::Status> started;
  bench::PortServices services;
};

}  // namespace

int main(int argc, char** argv) {
  absl::ParseCommandLine(argc, argv);
  // Blocked in every thread, waited for in this one.
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGINT);
  sigaddset(&ends, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &ends, nullptr);

  absl::StatusOr<std::vector<tcpip::Cidr>> addresses = ParseAddresses();
  if (!addresses.ok()) return Fail(addresses.status());
  tcpip::TunOptions options;
  options.name = absl::GetFlag(FLAGS_tun);
  options.offload = absl::GetFlag(FLAGS_offload);
  options.mtu = absl::GetFlag(FLAGS_mtu);
  options.bring_up = true;
  absl::StatusOr<std::vector<tcpip::TunDevice>> queues =
      tcpip::OpenTunQueues(options, absl::GetFlag(FLAGS_shards));
  if (!queues.ok()) return Fail(queues.status());
  tcpip::ShardConfig config;
  config.interface.name = queues->front().name();

  std::vector<std::unique_ptr<Serving>> serving;
  std::vector<std::unique_ptr<tcpip::Link>> links;
  std::vector<tcpip::ShardApp*> apps;
  for (tcpip::TunDevice& queue : *queues) {
    serving.push_back(std::make_unique<Serving>(*addresses));
    apps.push_back(&serving.back()->services);
    links.push_back(std::make_unique<tcpip::TunQueue>(std::move(queue)));
  }
  tcpip::ShardGroup shards(config, std::move(links), apps);
  for (const std::unique_ptr<Serving>& one : serving) {
    if (absl::Status s = one->started.get_future().get(); !s.ok()) {
      return Fail(s);
    }
  }
  std::printf("ready %s\n", config.interface.name.c_str());
  std::fflush(stdout);

  int signal = 0;
  sigwait(&ends, &signal);
  shards.Stop();
  return 0;
}
