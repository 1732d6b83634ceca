#include "tcpip/shard/command.h"

#include <cstdint>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include "gtest/gtest.h"

namespace tcpip {
namespace {

TEST(OwnedBytes, AllocatedBlockIsWritableAndMoves) {
  OwnedBytes bytes = OwnedBytes::Allocate(3);
  bytes.mutable_data()[2] = 7;
  const OwnedBytes moved = std::move(bytes);
  EXPECT_EQ(moved.size(), 3u);
  EXPECT_EQ(moved.span()[2], 7);
}

TEST(OwnedBytes, OwnerLivesAsLongAsTheBytes) {
  auto owner = std::make_shared<int>(5);
  static const uint8_t kData[] = {1, 2, 3};
  {
    const OwnedBytes bytes(kData, sizeof kData, owner);
    EXPECT_EQ(owner.use_count(), 2);
    EXPECT_EQ(bytes.span().data(), kData);
  }
  EXPECT_EQ(owner.use_count(), 1);
}

TEST(OwnedBytes, DefaultIsEmpty) {
  EXPECT_EQ(OwnedBytes().size(), 0u);
  EXPECT_TRUE(OwnedBytes().span().empty());
}

class Recorder final : public ReplySink {
 public:
  bool Push(Reply&& reply) override {
    if (is_gone) return false;
    replies.push_back(std::move(reply));
    return true;
  }
  std::vector<Reply> replies;
  bool is_gone = false;
};

TEST(ReplyTo, AnswersUnderItsCookie) {
  const auto recorder = std::make_shared<Recorder>();
  const ReplyTo to(recorder, 5);
  EXPECT_TRUE(to.Answer(reply::PathMtu{1400}));
  EXPECT_TRUE(to.Answer(absl::NotFoundError("no such socket")));
  ASSERT_EQ(recorder->replies.size(), 2u);
  EXPECT_EQ(recorder->replies[0].cookie, 5u);
  EXPECT_EQ(std::get<reply::PathMtu>(recorder->replies[0].body).bytes, 1400u);
  EXPECT_EQ(recorder->replies[1].cookie, 5u);
  EXPECT_EQ(recorder->replies[1].status.code(), absl::StatusCode::kNotFound);
}

TEST(ReplyTo, WhatNobodyTakesCanBePassedToSomebodyElse) {
  const auto gone = std::make_shared<Recorder>();
  gone->is_gone = true;
  const auto here = std::make_shared<Recorder>();
  Reply reply{.cookie = 1,
              .status = absl::OkStatus(),
              .body = reply::Received{OwnedBytes::Allocate(9), true}};
  EXPECT_FALSE(ReplyTo(gone, 2).Pass(std::move(reply)));
  EXPECT_FALSE(ReplyTo().Pass(std::move(reply)));
  EXPECT_TRUE(ReplyTo(here, 3).Pass(std::move(reply)));
  ASSERT_EQ(here->replies.size(), 1u);
  EXPECT_EQ(here->replies[0].cookie, 3u);
  EXPECT_EQ(std::get<reply::Received>(here->replies[0].body).data.size(), 9u);
}

}  // namespace
}  // namespace tcpip
