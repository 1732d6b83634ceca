// A transfer between two hosts as data: what goes which way over which path,
// and whether all of it arrived, nothing was broken and nothing is left.
#ifndef TESTS_SIM_TRANSFER_FIXTURE_H_
#define TESTS_SIM_TRANSFER_FIXTURE_H_

#include <cstdint>
#include <string>

#include "absl/functional/function_ref.h"
#include "emulator/path_model.h"
#include "tcpip/base/time.h"
#include "tcpip/stack/config.h"
#include "tcpip/stack/stats.h"
#include "tcpip/testing/sim_link.h"
#include "tcpip/testing/topology.h"
#include "tcpip/transport/tcp/config.h"
#include "tcpip/transport/tcp/observe.h"
#include "tcpip/wire/address.h"

namespace tcpip::sim {

struct TransferPlan {
  SimLinkConfig link = {};
  StackConfig stack = {};
  IpFamily family = IpFamily::kIpv4;
  uint64_t up_bytes = 0;    // from the client, who is first
  uint64_t down_bytes = 0;  // from the server
  // The server waits for the client's FIN before it sends its own.
  bool server_fins_last = false;
  // How the server reads; zero: at once.
  size_t server_read_bytes = size_t{1} << 20;
  Duration server_read_interval = {};
  Duration server_read_after = {};
  tcp::SocketSettings server_settings = {};
  Duration limit = Duration::Seconds(300);
};

struct TransferResult {
  std::string problem;  // "" when all went well
  Duration took;        // until both applications were done
  uint64_t trace = 0;
  StackStats client;
  StackStats server;
  tcp::TcpInfo info;  // the client's connection, just before its close
};

// Runs it, then two minutes more for what has to go away by itself. `prepare`
// may set filters or add events before anything happens.
TransferResult RunTransfer(
    const TransferPlan& plan, uint64_t seed,
    absl::FunctionRef<void(TwoHosts&)> prepare = [](TwoHosts&) {});

// Both directions alike.
SimLinkConfig Symmetric(const emulator::PathConfig& path, bool offload = false);

}  // namespace tcpip::sim

#endif  // TESTS_SIM_TRANSFER_FIXTURE_H_
