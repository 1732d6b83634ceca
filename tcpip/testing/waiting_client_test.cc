#include "tcpip/testing/waiting_client.h"

#include <utility>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "gtest/gtest.h"

namespace tcpip {
namespace {

// Answers every second command first.
class Shuffler final : public CommandTarget {
 public:
  absl::Status Post(Command&& command) override {
    held_.push_back(std::move(command));
    if (held_.size() < 2) return absl::OkStatus();
    for (auto it = held_.rbegin(); it != held_.rend(); ++it) {
      it->reply_to.Answer(reply::Done{});
    }
    held_.clear();
    return absl::OkStatus();
  }

 private:
  std::vector<Command> held_;
};

TEST(WaitingClient, FindsTheReplyToEachOfItsCommands) {
  Shuffler shuffler;
  WaitingClient client(shuffler);
  const uint64_t first = client.Post(command::GetStats{});
  const uint64_t second = client.Post(command::GetStats{});
  EXPECT_EQ(client.Wait(first).cookie, first);
  EXPECT_EQ(client.Wait(second).cookie, second);
  client.Post(command::GetStats{});
  client.Call<reply::Done>(command::GetStats{});
}

}  // namespace
}  // namespace tcpip
