#include "tcpip/testing/scenario.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tcpip/stack/summary.h"
#include "tcpip/testing/app.h"
#include "tcpip/testing/topology.h"
#include "tcpip/testing/virtual_clock.h"

namespace tcpip::sim {
namespace {

constexpr uint16_t kPort = 80;
constexpr uint64_t kUp = 11;
constexpr uint64_t kDown = 12;
constexpr uint64_t kLeastQueuePackets = 10;
// After which nothing may be left of a connection.
constexpr Duration kAftermath = Duration::Seconds(120);

constexpr std::string_view kAppNames[] = {"bulk", "echo", "request",
                                          "slow-reader", "on-off"};

uint64_t RoundsOf(const Scenario& scenario) {
  return (scenario.bytes + scenario.response_bytes - 1) /
         scenario.response_bytes;
}

TurnPlan TurnsOf(const Scenario& scenario) {
  return {.rounds = RoundsOf(scenario),
          .request_bytes = scenario.request_bytes,
          .response_bytes = scenario.response_bytes};
}

std::unique_ptr<App> MakeClient(const Scenario& scenario) {
  if (scenario.app == AppKind::kRequest) {
    return std::make_unique<Asker>(TurnsOf(scenario));
  }
  TalkPlan plan = {.send_bytes = scenario.bytes, .send_pattern = kUp};
  if (scenario.app == AppKind::kEcho) {
    plan.expect_bytes = scenario.bytes;
    plan.expect_pattern = kUp;
  }
  if (scenario.app == AppKind::kOnOff) {
    plan.write_bytes = scenario.burst_bytes;
    plan.write_interval = scenario.burst_interval;
  }
  return std::make_unique<Talker>(plan);
}

std::unique_ptr<App> MakeServer(const Scenario& scenario) {
  if (scenario.app == AppKind::kRequest) {
    return std::make_unique<Answerer>(TurnsOf(scenario));
  }
  if (scenario.app == AppKind::kEcho) return std::make_unique<Echo>();
  TalkPlan plan = {.send_pattern = kDown,
                   .fin_after_peer = true,
                   .expect_bytes = scenario.bytes,
                   .expect_pattern = kUp};
  if (scenario.app == AppKind::kSlowReader) {
    plan.read_bytes = scenario.read_bytes;
    plan.read_interval = scenario.read_interval;
  }
  return std::make_unique<Talker>(plan);
}

// Who has most to send, and who waits for the last of it.
Side SenderOf(AppKind app) {
  return app == AppKind::kRequest ? kSecond : kFirst;
}
Side WaiterOf(AppKind app) {
  return app == AppKind::kRequest || app == AppKind::kEcho ? kFirst : kSecond;
}

// Tells a FlowWatch of one side's flow what the link sees.
class Watch final : public LinkWatch {
 public:
  Watch(TwoHosts& net, Side sender, bool keep_events)
      : net_(net), sender_(sender), flow_(keep_events) {
    net_.link.set_watch(this);
  }
  ~Watch() override { net_.link.set_watch(nullptr); }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  void OnSent(Side from, const ReadPacket& packet,
              const emulator::PathVerdict& verdict) override {
    if (from != sender_ || !packet.tcp) return;
    const bool lost = verdict.copies == 0 || verdict.corrupt_bit;
    flow_.OnSent(*packet.tcp, lost, Info(), net_.simulation.now());
  }
  void OnArrived(Side at, const ReadPacket& packet) override {
    if (at != sender_ || !packet.tcp) return;
    flow_.OnAcked(*packet.tcp, Info(), net_.simulation.now());
  }

  const FlowWatch& flow() const { return flow_; }

 private:
  // As it was last, once the socket is closed.
  const tcp::TcpInfo& Info() {
    const Stack& stack = net_.host(sender_).stack();
    if (!socket_.IsValid()) {
      uint32_t cursor = 0;
      for (const SocketSummary& socket : stack.ListSockets(cursor, 10)) {
        if (!socket.is_listener && socket.socket.IsValid()) {
          socket_ = socket.socket;
        }
      }
    }
    if (const auto info = stack.TcpGetInfo(socket_); info.ok()) info_ = *info;
    return info_;
  }

  TwoHosts& net_;
  Side sender_;
  FlowWatch flow_;
  SocketId socket_;
  tcp::TcpInfo info_;
};

SimLinkConfig FromTheStart(SimLinkConfig link) {
  link.there = emulator::StartingAt(link.there, VirtualClock::kStart);
  link.back = emulator::StartingAt(link.back, VirtualClock::kStart);
  return link;
}

uint64_t QueueDrops(const TwoHosts& net) {
  uint64_t drops = 0;
  for (const Side side : {kFirst, kSecond}) {
    drops +=
        net.link.path(side).counters().Dropped(emulator::PathDrop::kQueueFull);
  }
  return drops;
}

void FillFlow(const FlowWatch& flow, RunReport& report) {
  report.flow = flow.counts();
  report.rtt_p50 = Percentile(flow.rtts(), 50);
  report.rtt_p90 = Percentile(flow.rtts(), 90);
  report.rtt_p99 = Percentile(flow.rtts(), 99);
}

}  // namespace

std::optional<AppKind> ParseAppKind(std::string_view name) {
  const auto* const found =
      std::find(std::begin(kAppNames), std::end(kAppNames), name);
  if (found == std::end(kAppNames)) return std::nullopt;
  return static_cast<AppKind>(found - std::begin(kAppNames));
}

std::string_view ToString(AppKind kind) {
  return kAppNames[static_cast<int>(kind)];
}

uint32_t UsualQueue(const emulator::PathConfig& path, uint32_t mtu) {
  const uint64_t product = path.rate.BytesIn(2 * path.delay);
  return static_cast<uint32_t>(
      std::min<uint64_t>(std::max(product, kLeastQueuePackets * mtu),
                         emulator::PathConfig::kUnlimited));
}

RunReport RunScenario(const Scenario& scenario, uint64_t seed,
                      std::vector<FlowEvent>* events) {
  TwoHosts net(seed, FromTheStart(scenario.link), scenario.stack);
  Watch watch(net, SenderOf(scenario.app), events != nullptr);
  const IpEndpoint address =
      TwoHosts::Endpoint(kSecond, IpFamily::kIpv4, kPort);
  const App* apps[2] = {};
  net.second.Listen({.local = address, .settings = scenario.settings}, [&] {
    auto server = MakeServer(scenario);
    apps[kSecond] = server.get();
    return server;
  });
  apps[kFirst] = &net.first.Connect(
      {.remote = address, .settings = scenario.settings}, MakeClient(scenario));

  const auto is_done = [&](Side side) {
    return apps[side] != nullptr && apps[side]->done();
  };
  const Side waiter = WaiterOf(scenario.app);
  net.simulation.RunUntil([&] { return is_done(waiter); }, scenario.limit);
  RunReport report = {
      .seed = seed,
      .bytes = scenario.app == AppKind::kRequest
                   ? RoundsOf(scenario) * scenario.response_bytes
                   : scenario.bytes,
      .took = net.simulation.elapsed()};
  if (is_done(waiter)) net.simulation.RunFor(kAftermath);
  report.problem =
      absl::StrCat(ProblemOf("client", apps[kFirst]),
                   ProblemOf("server", apps[kSecond]), net.Violations());
  if (report.succeeded()) report.problem = net.Leftovers();
  report.trace = net.simulation.trace().value();
  report.queue_drops = QueueDrops(net);
  FillFlow(watch.flow(), report);
  if (events != nullptr) *events = watch.flow().events();
  return report;
}

}  // namespace tcpip::sim
