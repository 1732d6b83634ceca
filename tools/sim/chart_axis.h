// Where the ticks of an axis stand: at 1, 2 or 5 times a power of ten.
#ifndef TOOLS_SIM_CHART_AXIS_H_
#define TOOLS_SIM_CHART_AXIS_H_

#include <string>
#include <vector>

namespace tcpip::sim {

struct Tick {
  double value = 0;
  std::string label;
};

struct Axis {
  double end = 1;           // at or above the largest value; it begins at 0
  std::vector<Tick> ticks;  // from 0 on, the last at or before `end`
};

// An axis up to `largest` with about `ticks` of them. With `round_up` it ends
// at a tick. A largest value that is not positive counts as 1.
Axis MakeAxis(double largest, int ticks, bool round_up);

}  // namespace tcpip::sim

#endif  // TOOLS_SIM_CHART_AXIS_H_
