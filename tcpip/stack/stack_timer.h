// StackTimer: a timer of a stack, and what it is for, so that whoever takes an
// expired one from the stack's wheel knows whom to step. All nodes of that
// wheel are of this type.
#ifndef TCPIP_STACK_STACK_TIMER_H_
#define TCPIP_STACK_STACK_TIMER_H_

#include <cstdint>

#include "tcpip/timer/timer_heap.h"

namespace tcpip {

enum class TimerUse : uint8_t {
  kSocket,
  kTimeWait,    // of all flows there
  kReassembly,  // of all packets that wait for fragments
  kPathMtus,    // of all that are known
};

struct StackTimer : TimerNode {
  explicit StackTimer(TimerUse timer_use) : use(timer_use) {}

  const TimerUse use;
};

}  // namespace tcpip

#endif  // TCPIP_STACK_STACK_TIMER_H_
