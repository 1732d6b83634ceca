#include "tcpip/transport/tcp/timers.h"

#include <algorithm>

namespace tcpip::tcp {

Instant Timers::NextDeadline() const {
  return *std::min_element(deadlines_.begin(), deadlines_.end());
}

}  // namespace tcpip::tcp
