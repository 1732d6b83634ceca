#include "tcpip/shard/mailbox.h"

#include <poll.h>

#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace tcpip {
namespace {

bool IsReadable(int fd) {
  pollfd entry = {fd, POLLIN, 0};
  return poll(&entry, 1, 0) == 1;
}

TEST(Mailbox, ValuesComeOutInOrderAndTheWakeUpGoes) {
  Mailbox<int> box(10);
  EXPECT_FALSE(IsReadable(box.wake_fd()));
  EXPECT_TRUE(box.TryPush(1));
  EXPECT_TRUE(box.TryPush(2));
  EXPECT_TRUE(IsReadable(box.wake_fd()));
  std::vector<int> got;
  box.PopAll(got);
  EXPECT_TRUE(box.TryPush(3));
  box.PopAll(got);
  EXPECT_EQ(got, (std::vector<int>{1, 2, 3}));
  EXPECT_FALSE(IsReadable(box.wake_fd()));
}

TEST(Mailbox, FullIsAnAnswerAndLeavesTheValue) {
  Mailbox<std::unique_ptr<int>> box(2);
  EXPECT_TRUE(box.TryPush(std::make_unique<int>(1)));
  EXPECT_TRUE(box.TryPush(std::make_unique<int>(2)));
  auto third = std::make_unique<int>(3);
  EXPECT_FALSE(box.TryPush(std::move(third)));
  ASSERT_NE(third, nullptr);
  std::vector<std::unique_ptr<int>> got;
  box.PopAll(got);
  EXPECT_TRUE(box.TryPush(std::move(third)));
}

TEST(Mailbox, PushTakesNoHeedOfTheCapacity) {
  Mailbox<int> box(1);
  EXPECT_TRUE(box.TryPush(1));
  EXPECT_FALSE(box.TryPush(2));
  EXPECT_TRUE(box.Push(3));
  std::vector<int> got;
  box.PopAll(got);
  EXPECT_EQ(got, (std::vector<int>{1, 3}));
  box.Close();
  EXPECT_FALSE(box.Push(4));
}

TEST(Mailbox, CloseRefusesPushesKeepsMailAndWakes) {
  Mailbox<int> box(10);
  EXPECT_TRUE(box.TryPush(1));
  std::vector<int> got;
  EXPECT_TRUE(box.PopAll(got));
  EXPECT_TRUE(box.TryPush(2));
  box.Close();
  EXPECT_TRUE(box.closed());
  EXPECT_TRUE(IsReadable(box.wake_fd()));
  EXPECT_FALSE(box.TryPush(3));
  EXPECT_FALSE(box.PopAll(got));
  EXPECT_EQ(got, (std::vector<int>{1, 2}));
}

// Many posters, one consumer: nothing lost, each poster's order kept.
TEST(Mailbox, ManyPostersLoseNothing) {
  constexpr int kPosters = 4, kEach = 5'000;
  Mailbox<std::pair<int, int>> box(64);
  std::vector<std::thread> posters;
  posters.reserve(kPosters);
  for (int p = 0; p < kPosters; ++p) {
    posters.emplace_back([&box, p] {
      for (int i = 0; i < kEach; ++i) {
        while (!box.TryPush({p, i})) std::this_thread::yield();
      }
    });
  }
  std::vector<int> next(kPosters);
  int total = 0;
  while (total < kPosters * kEach) {
    pollfd entry = {box.wake_fd(), POLLIN, 0};
    ASSERT_EQ(poll(&entry, 1, 30'000), 1) << "a wake-up was lost";
    std::vector<std::pair<int, int>> got;
    box.PopAll(got);
    for (auto [poster, i] : got) EXPECT_EQ(i, next[poster]++);
    total += static_cast<int>(got.size());
  }
  for (std::thread& t : posters) t.join();
}

Reply ReplyWith(uint64_t cookie) {
  Reply reply;
  reply.cookie = cookie;
  return reply;
}

TEST(ReplyQueue, CloseGivesWhatIsLeftThenEnds) {
  ReplyQueue queue;
  EXPECT_TRUE(queue.Push(ReplyWith(1)));
  queue.Close();
  EXPECT_FALSE(queue.Push(ReplyWith(2)));
  std::vector<Reply> got;
  EXPECT_TRUE(queue.WaitPopAll(got));
  EXPECT_FALSE(queue.WaitPopAll(got));
  ASSERT_EQ(got.size(), 1u);
  EXPECT_EQ(got[0].cookie, 1u);
}

TEST(ReplyQueue, AWaitingClientIsWoken) {
  ReplyQueue queue;
  uint64_t sum = 0;
  std::thread client([&] {
    std::vector<Reply> got;
    while (queue.WaitPopAll(got)) {
      for (const Reply& reply : got) sum += reply.cookie;
      got.clear();
    }
  });
  for (uint64_t i = 1; i <= 1000; ++i) queue.Push(ReplyWith(i));
  queue.Close();
  client.join();
  EXPECT_EQ(sum, 1000u * 1001 / 2);
}

TEST(ReplyQueue, PopAllDoesNotWait) {
  ReplyQueue queue;
  std::vector<Reply> got;
  queue.PopAll(got);
  EXPECT_TRUE(got.empty());
  queue.Push(ReplyWith(7));
  queue.PopAll(got);
  ASSERT_EQ(got.size(), 1u);
}

}  // namespace
}  // namespace tcpip
