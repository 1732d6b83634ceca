#include "tools/sim/chart_axis.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_format.h"

namespace tcpip::sim {
namespace {

// What part of a step nobody sees.
constexpr double kUnseen = 1e-3;

// The smallest of 1, 2, 5 times a power of ten that is not below `least`.
double RoundStep(double least) {
  const double power = std::pow(10, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= least * (1 - 1e-9)) return factor * power;
  }
  return 10 * power;
}

}  // namespace

Axis MakeAxis(double largest, int ticks, bool round_up) {
  if (!(largest > 0)) largest = 1;
  const double step = RoundStep(largest / ticks);
  const int decimals =
      std::max(0, static_cast<int>(-std::floor(std::log10(step) + 1e-9)));
  const double steps = largest / step;
  const int count = static_cast<int>(round_up ? std::ceil(steps - kUnseen)
                                              : std::floor(steps + kUnseen));
  Axis axis = {.end = round_up ? count * step : largest, .ticks = {}};
  for (int i = 0; i <= count; ++i) {
    axis.ticks.push_back(
        {i * step, absl::StrFormat("%.*f", decimals, i * step)});
  }
  return axis;
}

}  // namespace tcpip::sim
