// The argument is the number of armed timers. Compare with BM_Touch, the price
// of reading one of so many nodes at random: no wheel can be below it.
#include <memory>

#include "benchmark/benchmark.h"
#include "tcpip/base/rng.h"
#include "tcpip/timer/timer_wheel.h"

namespace tcpip {
namespace {

// A fixed count where reaching the steady state is dear: one run, no trials.
constexpr int64_t kOnce = 1 << 20;
constexpr Duration kRto = Duration::Milliseconds(200);

// `n` timers, spread over one RTO as those of as many busy connections are.
class Timers {
 public:
  explicit Timers(const benchmark::State& state)
      : n_(static_cast<uint32_t>(state.range(0))),
        nodes_(std::make_unique<TimerNode[]>(n_)) {
    for (uint32_t i = 0; i < n_; ++i) {
      wheel.Set(nodes_[i], now + (kRto * i / n_) + Duration::Nanoseconds(1));
    }
  }
  ~Timers() {
    for (uint32_t i = 0; i < n_; ++i) wheel.Cancel(nodes_[i]);
  }

  TimerNode& Any() { return nodes_[rng_.Below(n_)]; }
  // Time between the events of `n` timers that each have one per RTO.
  Duration Step() const { return kRto / n_; }

  Instant now;
  TimerWheel wheel{now};

 private:
  uint32_t n_;
  SeededRng rng_{1};
  std::unique_ptr<TimerNode[]> nodes_;
};

void Sizes(benchmark::internal::Benchmark* b) {
  for (int64_t n : {1, 10, 1'000, 10'000, 100'000, 1'000'000}) b->Arg(n);
}

void BM_Touch(benchmark::State& state) {
  Timers timers(state);
  for (auto _ : state) benchmark::DoNotOptimize(timers.Any().deadline());
}
BENCHMARK(BM_Touch)->Apply(Sizes);

// An ACK: the RTO of some connection moves back, then the poller asks. Each
// connection has one ACK per RTO, so that lazy filing saves next to nothing.
void BM_MoveBackAndAsk(benchmark::State& state) {
  Timers timers(state);
  const auto step = [&] {
    timers.now += timers.Step();
    timers.wheel.Set(timers.Any(), timers.now + kRto);
    while (TimerNode* node = timers.wheel.PopExpired(timers.now)) {
      timers.wheel.Set(*node, timers.now + kRto);
    }
    benchmark::DoNotOptimize(timers.wheel.NextDeadline());
  };
  for (int64_t i = 0; i < 2 * state.range(0); ++i) step();  // steady state
  for (auto _ : state) step();
}
BENCHMARK(BM_MoveBackAndAsk)->Apply(Sizes)->Iterations(kOnce);

// The same with a hundred ACKs per connection and RTO, a bulk transfer.
void BM_MoveBackOftenAndAsk(benchmark::State& state) {
  Timers timers(state);
  const Duration round = timers.Step();
  for (auto _ : state) {
    timers.now += round / 100;
    timers.wheel.Set(timers.Any(), timers.now + kRto);
    while (TimerNode* node = timers.wheel.PopExpired(timers.now)) {
      timers.wheel.Set(*node, timers.now + kRto);
    }
    benchmark::DoNotOptimize(timers.wheel.NextDeadline());
  }
}
BENCHMARK(BM_MoveBackOftenAndAsk)->Apply(Sizes);

// A short request: its timer is armed and cancelled again.
void BM_SetAndCancel(benchmark::State& state) {
  Timers timers(state);
  TimerNode node;
  for (auto _ : state) {
    timers.wheel.Set(node, timers.now + kRto);
    timers.wheel.Cancel(node);
  }
}
BENCHMARK(BM_SetAndCancel)->Apply(Sizes);

// The earliest leaves and is armed again as the last, and the poller asks for
// the new earliest, every time.
void BM_EarliestLeaves(benchmark::State& state) {
  Timers timers(state);
  Instant last = timers.now + kRto;
  for (auto _ : state) {
    TimerNode* earliest = timers.wheel.PopExpired(timers.wheel.NextDeadline());
    last += timers.Step();
    timers.wheel.Set(*earliest, last);
    benchmark::DoNotOptimize(timers.wheel.NextDeadline());
  }
}
BENCHMARK(BM_EarliestLeaves)->Apply(Sizes);

// Every timer runs out and is armed again, at an RTO of its own.
void BM_ExpireAndSet(benchmark::State& state) {
  Timers timers(state);
  SeededRng rng(2);
  const auto step = [&] {
    timers.now = timers.wheel.NextDeadline();
    TimerNode* node = timers.wheel.PopExpired(timers.now);
    timers.wheel.Set(*node, timers.now + kRto / 2 +
                                Duration::Nanoseconds(rng.Below(200'000'000)));
    timers.wheel.PopExpired(timers.now);
  };
  for (int64_t i = 0; i < 2 * state.range(0); ++i) step();  // steady state
  for (auto _ : state) step();
}
BENCHMARK(BM_ExpireAndSet)->Apply(Sizes)->Iterations(kOnce);

}  // namespace
}  // namespace tcpip
