#include "client/timeout.h"

#include <thread>

#include "gtest/gtest.h"

namespace netstack {
namespace {

TEST(WaitFor, GivesUpWhenTheTimeIsUp) {
  std::mutex mutex;
  std::condition_variable changed;
  std::unique_lock lock(mutex);
  EXPECT_FALSE(
      WaitFor(changed, lock, tcpip::Duration::Zero(), [] { return false; }));
  EXPECT_TRUE(
      WaitFor(changed, lock, tcpip::Duration::Zero(), [] { return true; }));
}

TEST(WaitFor, WaitsForEverWithoutATimeout) {
  std::mutex mutex;
  std::condition_variable changed;
  bool ready = false;
  std::thread other([&] {
    std::lock_guard lock(mutex);
    ready = true;
    changed.notify_all();
  });
  {
    std::unique_lock lock(mutex);
    EXPECT_TRUE(WaitFor(changed, lock, Timeout(), [&] { return ready; }));
  }
  other.join();
}

}  // namespace
}  // namespace netstack
