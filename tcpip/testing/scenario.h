// Scenario: a conversation between two hosts over a path, as data; and running
// it, which yields a report. The same scenario and seed give the same report.
//
// What tools/sim runs, and tests/sim keeps tables of. Tests that have to reach
// into a run build on TwoHosts themselves.
#ifndef TCPIP_TESTING_SCENARIO_H_
#define TCPIP_TESTING_SCENARIO_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "emulator/path_model.h"
#include "tcpip/base/time.h"
#include "tcpip/stack/config.h"
#include "tcpip/testing/flow_watch.h"
#include "tcpip/testing/run_report.h"
#include "tcpip/testing/sim_link.h"
#include "tcpip/transport/tcp/config.h"

namespace tcpip::sim {

enum class AppKind : uint8_t {
  kBulk,        // the client sends
  kEcho,        // the client sends, the server sends it back
  kRequest,     // the client asks, the server answers, in turns
  kSlowReader,  // the client sends, the server reads a piece now and then
  kOnOff,       // the client sends in bursts
};
// "bulk", "echo", "request", "slow-reader", "on-off"; nullopt for others.
std::optional<AppKind> ParseAppKind(std::string_view name);
std::string_view ToString(AppKind kind);

struct Scenario {
  AppKind app = AppKind::kBulk;
  // What comes to the application that waits for it; of requests, their
  // answers, the last of which is whole.
  uint64_t bytes = 5'000'000;

  // Of kRequest, kSlowReader and kOnOff.
  uint32_t request_bytes = 100;
  uint32_t response_bytes = 10'000;
  uint32_t read_bytes = 65'536;
  Duration read_interval = Duration::Milliseconds(10);
  uint32_t burst_bytes = 100'000;
  Duration burst_interval = Duration::Milliseconds(200);

  SimLinkConfig link = {};  // outages count from the start of the run
  StackConfig stack = {};
  tcp::SocketSettings settings = {};  // of both ends
  Duration limit = Duration::Seconds(600);
};

// A queue of one bandwidth-delay product, and of ten packets at least: what a
// path has unless somebody says otherwise.
uint32_t UsualQueue(const emulator::PathConfig& path, uint32_t mtu);

// With `events`, tells what happened to the watched flow.
RunReport RunScenario(const Scenario& scenario, uint64_t seed,
                      std::vector<FlowEvent>* events = nullptr);

}  // namespace tcpip::sim

#endif  // TCPIP_TESTING_SCENARIO_H_
