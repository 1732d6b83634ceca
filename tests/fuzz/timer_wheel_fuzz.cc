// TimerWheel beside a plain list: sets, moves, cancels and time that creeps or
// jumps. Nodes expire in the order of their deadlines, ties in that of Set().
//
// The input is a list of steps: a byte that chooses one, then its parameters.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "tcpip/base/time.h"
#include "tcpip/timer/timer_heap.h"
#include "tcpip/timer/timer_wheel.h"
#include "tests/fuzz/input.h"

namespace tcpip {
namespace {

using fuzz::Check;
using fuzz::Input;

constexpr int kMaxSteps = 500;
constexpr size_t kNodes = 24;

class World {
 public:
  void Step(Input& input) {
    switch (input.Byte() % 6) {
      case 0:
      case 1:
      case 2:
        Set(input.Byte() % kNodes, now_ + Distance(input));
        break;
      case 3:
        Cancel(input.Byte() % kNodes);
        break;
      case 4:
        Set(input.Byte() % kNodes,
            input.Byte() % 8 == 0 ? Instant::Never() : now_ - Distance(input));
        break;
      case 5:
        Advance(Distance(input));
        break;
    }
    Compare();
  }

 private:
  // Any order of magnitude, from nanoseconds to years.
  static Duration Distance(Input& input) {
    const uint32_t shift = input.Byte() % 48;
    return Duration::Nanoseconds(static_cast<int64_t>(input.Word()) << shift);
  }

  void Set(size_t i, Instant deadline) {
    wheel_.Set(nodes_[i], deadline);
    due_[i] = deadline.IsNever() ? std::nullopt
                                 : std::optional(TimerKey{deadline, ++sets_});
  }

  void Cancel(size_t i) {
    wheel_.Cancel(nodes_[i]);
    due_[i].reset();
  }

  void Advance(Duration by) {
    now_ += by;
    while (TimerNode* node = wheel_.PopExpired(now_)) {
      const auto i = static_cast<size_t>(node - nodes_.data());
      Check(i == First(), "the first expires");
      Check(due_[i]->at <= now_, "nothing expires early");
      Check(!node->armed(), "what is handed out is disarmed");
      due_[i].reset();
    }
    const size_t first = First();
    if (first < kNodes) Check(due_[first]->at > now_, "nothing is left behind");
  }

  size_t First() const {
    size_t first = kNodes;
    for (size_t i = 0; i < kNodes; ++i) {
      if (due_[i] && (first == kNodes || *due_[i] < *due_[first])) first = i;
    }
    return first;
  }

  void Compare() {
    const size_t first = First();
    Check(wheel_.NextDeadline() ==
              (first < kNodes ? due_[first]->at : Instant::Never()),
          "NextDeadline");
    size_t armed = 0;
    for (size_t i = 0; i < kNodes; ++i) {
      Check(nodes_[i].armed() == due_[i].has_value(), "armed");
      if (due_[i]) Check(nodes_[i].deadline() == due_[i]->at, "deadline");
      armed += due_[i].has_value();
    }
    Check(wheel_.armed() == armed, "count of those armed");
  }

  Instant now_ = Instant::FromNanoseconds(1'000'000'000);
  std::array<TimerNode, kNodes> nodes_;
  std::array<std::optional<TimerKey>, kNodes> due_;
  uint64_t sets_ = 0;
  TimerWheel wheel_{now_};  // disarms the nodes, so it goes first
};

}  // namespace
}  // namespace tcpip

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tcpip::fuzz::Input input(data, size);
  tcpip::World world;
  for (int i = 0; i < tcpip::kMaxSteps && !input.empty(); ++i) {
    world.Step(input);
  }
  return 0;
}
