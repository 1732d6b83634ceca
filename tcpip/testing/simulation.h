// Simulation: an event queue over virtual time. Hosts, links and applications
// put callbacks into it; running it moves the clock from one to the next.
//
// Events at the same instant run in the order in which they were added, so a
// run is a function of its seed alone. Everything that chance decides draws
// from the seed through NextSeed(), in the order of construction.
//
// What goes wrong is recorded, with time and seed, and stops the run; a test
// asks for violations() at its end. Knows nothing of packets or stacks.
#ifndef TCPIP_TESTING_SIMULATION_H_
#define TCPIP_TESTING_SIMULATION_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/functional/function_ref.h"
#include "tcpip/base/rng.h"
#include "tcpip/base/time.h"
#include "tcpip/testing/trace_hash.h"
#include "tcpip/testing/virtual_clock.h"

namespace tcpip::sim {

class Simulation {
 public:
  using Callback = absl::AnyInvocable<void()>;

  explicit Simulation(uint64_t seed) : seed_(seed), rng_(seed) {}
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  uint64_t seed() const { return seed_; }
  uint64_t NextSeed() { return rng_.Next(); }
  Instant now() const { return clock_.now(); }
  Duration elapsed() const { return now() - VirtualClock::kStart; }

  // Runs `callback` at `when`, or now if that is past. At Never it is dropped.
  void At(Instant when, Callback callback);

  // Runs events until `done`. False when that takes longer than `limit`, which
  // has passed then, or when something went wrong.
  bool RunUntil(absl::FunctionRef<bool()> done, Duration limit);
  // Runs all events of the next `duration` and moves the clock by it.
  void RunFor(Duration duration);

  // What happened, for comparing runs.
  TraceHash& trace() { return trace_; }
  uint64_t events_run() const { return events_run_; }

  // Records that a rule was broken, and stops the run.
  void Violation(const std::string& what);
  const std::vector<std::string>& violations() const { return violations_; }

 private:
  struct Event {
    Instant when;
    uint64_t order;
    Callback callback;
  };
  static bool IsLater(const Event& a, const Event& b) {
    return a.when != b.when ? a.when > b.when : a.order > b.order;
  }
  // Runs the next event if it is not after `limit`.
  bool Step(Instant limit);

  uint64_t seed_;
  SeededRng rng_;
  VirtualClock clock_;
  TraceHash trace_;
  std::vector<Event> events_;  // a heap, the earliest in front
  uint64_t next_order_ = 0;
  uint64_t events_run_ = 0;
  uint64_t events_at_now_ = 0;
  std::vector<std::string> violations_;
};

}  // namespace tcpip::sim

#endif  // TCPIP_TESTING_SIMULATION_H_
