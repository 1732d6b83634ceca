#include "tests/shards/start_stop.h"

#include "gtest/gtest.h"

namespace tcpip {
namespace {

// [fault O04] start_stop_long_test goes on to 10,000
TEST(StartStop, EveryCommandIsAnsweredOnceOrRefused) { StartAndStop(100); }

}  // namespace
}  // namespace tcpip
