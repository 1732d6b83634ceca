// Ten thousand starts and stops; about a minute under the thread sanitizer.
#include "gtest/gtest.h"
#include "tests/shards/start_stop.h"

namespace tcpip {
namespace {

// [fault O04]
TEST(StartStopLong, EveryCommandIsAnsweredOnceOrRefused) {
  StartAndStop(10'000);
}

}  // namespace
}  // namespace tcpip
