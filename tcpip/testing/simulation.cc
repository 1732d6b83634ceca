#include "tcpip/testing/simulation.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace tcpip::sim {
namespace {

// More events than this at one instant are a loop without progress.
constexpr uint64_t kMaxEventsPerInstant = 1'000'000;

}  // namespace

void Simulation::At(Instant when, Callback callback) {
  if (when.IsNever()) return;
  events_.push_back(
      {std::max(when, now()), next_order_++, std::move(callback)});
  std::push_heap(events_.begin(), events_.end(), IsLater);
}

bool Simulation::Step(Instant limit) {
  if (!violations_.empty() || events_.empty() || events_.front().when > limit) {
    return false;
  }
  std::pop_heap(events_.begin(), events_.end(), IsLater);
  Event event = std::move(events_.back());
  events_.pop_back();
  events_at_now_ = event.when == now() ? events_at_now_ + 1 : 0;
  if (events_at_now_ > kMaxEventsPerInstant) {
    Violation("time does not move on");
    return false;
  }
  clock_.AdvanceTo(event.when);
  ++events_run_;
  event.callback();
  return true;
}

bool Simulation::RunUntil(absl::FunctionRef<bool()> done, Duration limit) {
  const Instant end = now() + limit;
  while (!done()) {
    if (Step(end)) continue;
    if (violations_.empty()) clock_.AdvanceTo(end);
    return false;
  }
  return violations_.empty();
}

void Simulation::RunFor(Duration duration) {
  const Instant end = now() + duration;
  while (Step(end)) {
  }
  if (violations_.empty()) clock_.AdvanceTo(end);
}

void Simulation::Violation(const std::string& what) {
  violations_.push_back(absl::StrCat("seed ", seed_, " at ",
                                     elapsed().microseconds(), " us: ", what));
}

}  // namespace tcpip::sim
