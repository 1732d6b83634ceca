#include "tcpip/shard/shard_inbox.h"

#include "gtest/gtest.h"

namespace tcpip {
namespace {

absl::StatusCode CodeOfPost(ShardInbox& inbox, command::Body body) {
  return inbox.Post({.reply_to = {}, .body = std::move(body)}).code();
}

TEST(ShardInbox, AFullOneSaysSoButTakesWhatGivesSomethingUp) {
  ShardInbox inbox(1, 0);
  EXPECT_EQ(CodeOfPost(inbox, command::GetStats{}), absl::StatusCode::kOk);
  EXPECT_EQ(CodeOfPost(inbox, command::GetStats{}),
            absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(CodeOfPost(inbox, command::Close{}), absl::StatusCode::kOk);
  EXPECT_EQ(CodeOfPost(inbox, command::Abort{}), absl::StatusCode::kOk);
  EXPECT_EQ(CodeOfPost(inbox, command::Cancel{}), absl::StatusCode::kOk);
}

TEST(ShardInbox, AClosedOneTakesNothing) {
  ShardInbox inbox(10, 0);
  inbox.commands.Close();
  EXPECT_EQ(CodeOfPost(inbox, command::GetStats{}),
            absl::StatusCode::kUnavailable);
  EXPECT_EQ(CodeOfPost(inbox, command::Close{}),
            absl::StatusCode::kUnavailable);
}

TEST(MakeInboxes, MakesOneForEachShard) {
  const ShardInboxes inboxes = MakeInboxes(3, 1, 1);
  ASSERT_EQ(inboxes.size(), 3u);
  EXPECT_NE(inboxes[0], inboxes[1]);
}

}  // namespace
}  // namespace tcpip
