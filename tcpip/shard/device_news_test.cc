#include "tcpip/shard/device_news.h"

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace tcpip {
namespace {

constexpr LinkOffloads kNone = {};
constexpr LinkOffloads kTso4 = {.tso4 = true};
constexpr LinkOffloads kTso6 = {.tso6 = true};
constexpr LinkOffloads kBoth = {.tso4 = true, .tso6 = true};

class Notebook final : public DeviceObserver {
 public:
  void OnLinkLost() override { life += "lost "; }
  void OnLinkBack() override { life += "back "; }
  void OnLinkUnusable(const absl::Status& why) override {
    life += absl::StrCat(why.message(), " ");
  }
  void OnOffloadsRefused(const LinkOffloads& refused) override {
    refusals.push_back(refused);
  }

  std::string life;
  std::vector<LinkOffloads> refusals;
};

class DeviceNewsTest : public testing::Test {
 protected:
  Notebook told_;
  DeviceNews news_{2, &told_};
};

// [fault L12]
TEST_F(DeviceNewsTest, ADeviceIsLostWithItsFirstQueueAndBackWithItsLast) {
  for (int i = 0; i < 2; ++i) {
    told_.life.clear();
    news_.OnQueueLost();
    EXPECT_EQ(told_.life, "lost ");
    news_.OnQueueLost();
    news_.OnQueueBack();
    EXPECT_EQ(told_.life, "lost ");
    news_.OnQueueBack();
    EXPECT_EQ(told_.life, "lost back ");
  }
}

// [fault L16]
TEST_F(DeviceNewsTest, WhyADeviceCannotBeHadIsToldOnceForAllQueues) {
  const absl::Status wrong = absl::FailedPreconditionError("wrong");
  const absl::Status taken = absl::UnavailableError("taken");
  for (int i = 0; i < 2; ++i) {
    told_.life.clear();
    news_.OnQueueLost();
    news_.OnQueueLost();
    for (const absl::Status& why : {wrong, wrong, taken, taken}) {
      news_.OnQueueUnusable(why);
    }
    news_.OnQueueBack();
    news_.OnQueueBack();
    EXPECT_EQ(told_.life, "lost wrong taken back ");
  }
}

// [fault L01]
TEST_F(DeviceNewsTest, WhatAnyQueueIsRefusedIsToldOnce) {
  news_.OnRefused(0, kTso4);
  news_.OnRefused(1, kTso4);
  EXPECT_EQ(told_.refusals, std::vector{kTso4});
}

TEST_F(DeviceNewsTest, WhatIsToldIsAllThatTheDeviceRefused) {
  news_.OnRefused(0, kTso4);
  news_.OnRefused(1, kTso6);
  news_.OnRefused(0, kBoth);
  EXPECT_EQ(told_.refusals, (std::vector{kTso4, kBoth}));
}

TEST_F(DeviceNewsTest, ARefusalAfterASwitchIsToldAgain) {
  news_.OnRefused(0, kTso4);
  news_.OnRefused(0, kNone);
  EXPECT_EQ(told_.refusals.size(), 1u);
  news_.OnRefused(1, kTso4);
  EXPECT_EQ(told_.refusals, (std::vector{kTso4, kTso4}));
  news_.OnRefused(0, kTso6);
  EXPECT_EQ(told_.refusals.back(), kBoth);
}

// Shards switch one after another.
TEST_F(DeviceNewsTest, ARefusalInTheMiddleOfASwitchIsNotForgotten) {
  news_.OnRefused(0, kTso4);
  news_.OnRefused(1, kTso4);
  news_.OnRefused(0, kNone);
  news_.OnRefused(0, kTso6);
  news_.OnRefused(1, kNone);
  news_.OnRefused(1, kTso4);
  EXPECT_EQ(told_.refusals.back(), kBoth);
}

TEST_F(DeviceNewsTest, NobodyNeedBeTold) {
  DeviceNews news(1, nullptr);
  news.OnQueueLost();
  news.OnQueueBack();
  news.OnRefused(0, kTso4);
}

}  // namespace
}  // namespace tcpip
