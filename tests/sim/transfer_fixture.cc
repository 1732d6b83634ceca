#include "tests/sim/transfer_fixture.h"

#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tcpip/testing/app.h"

namespace tcpip::sim {
namespace {

constexpr uint16_t kPort = 80;
constexpr uint64_t kUp = 11;
constexpr uint64_t kDown = 12;

}  // namespace

TransferResult RunTransfer(const TransferPlan& plan, uint64_t seed,
                           absl::FunctionRef<void(TwoHosts&)> prepare) {
  TwoHosts net(seed, plan.link, plan.stack);
  prepare(net);
  const IpEndpoint address = TwoHosts::Endpoint(kSecond, plan.family, kPort);
  Talker* server = nullptr;
  net.second.Listen({.local = address, .settings = plan.server_settings}, [&] {
    auto talker = std::make_unique<Talker>(
        TalkPlan{.send_bytes = plan.down_bytes,
                 .send_pattern = kDown,
                 .fin_after_peer = plan.server_fins_last,
                 .expect_bytes = plan.up_bytes,
                 .expect_pattern = kUp,
                 .read_bytes = plan.server_read_bytes,
                 .read_interval = plan.server_read_interval,
                 .read_after = plan.server_read_after});
    server = talker.get();
    return talker;
  });
  Talker& client = net.first.Connect(
      {.remote = address},
      std::make_unique<Talker>(TalkPlan{.send_bytes = plan.up_bytes,
                                        .send_pattern = kUp,
                                        .expect_bytes = plan.down_bytes,
                                        .expect_pattern = kDown}));
  net.simulation.RunUntil(
      [&] { return client.done() && server != nullptr && server->done(); },
      plan.limit);

  TransferResult result;
  result.took = net.simulation.elapsed();
  net.simulation.RunFor(Duration::Seconds(120));
  result.problem =
      absl::StrCat(ProblemOf("client", &client), ProblemOf("server", server),
                   net.Violations(), net.Leftovers());
  if (!result.problem.empty()) {
    absl::StrAppend(&result.problem, "seed ", seed, ", after ",
                    result.took.milliseconds(), " ms");
  }
  result.trace = net.simulation.trace().value();
  result.client = net.first.stack().Stats();
  result.server = net.second.stack().Stats();
  result.info = client.last_info();
  return result;
}

SimLinkConfig Symmetric(const emulator::PathConfig& path, bool offload) {
  return {.offload = offload, .there = path, .back = path};
}

}  // namespace tcpip::sim
