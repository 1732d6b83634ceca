// StreamMachine against a world that does whatever it may do.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "service/claims.h"
#include "service/stream_codec.h"
#include "service/stream_machine.h"
#include "service/stream_machine_fixture.h"
#include "tcpip/base/rng.h"
#include "tcpip/shard/command.h"

namespace netstack::service {
namespace {

namespace command = tcpip::command;
using Actions = StreamMachine::Actions;
using ReplyTo = StreamMachine::ReplyTo;
using tcpip::Reply;

// gRPC and the shard as the machine sees them: they answer what was asked, in
// any order, and complain when asked what they do not allow.
class World {
 public:
  explicit World(uint64_t seed) : rng_(seed) {}

  void Run() {
    Carry(machine_.OnStart());
    for (int step = 0; step < 60; ++step) Step();
    if (!cancelled_) Cancel();
    while (reading_ || writing_ || watched_ || !pending_.empty()) Step();
    EXPECT_EQ(finishes_, 1);
    EXPECT_EQ(releases_, opened_ ? 1 : 0);
  }

 private:
  uint64_t Below(uint64_t n) { return rng_.Next() % n; }

  void Carry(const Actions& actions) {
    for (const StreamMachine::Post& post : actions.posts) {
      const bool releases = std::holds_alternative<command::Close>(post.body) ||
                            std::holds_alternative<command::Abort>(post.body);
      EXPECT_EQ(releases_, 0) << "a command for a socket that was given up";
      releases_ += releases;
      if (post.reply_to == ReplyTo::kNobody) continue;
      for (ReplyTo other : pending_) EXPECT_NE(other, post.reply_to);
      pending_.push_back(post.reply_to);
    }
    if (actions.watch) {
      EXPECT_FALSE(watched_);
      watched_ = true;
    }
    if (actions.write) {
      EXPECT_FALSE(writing_ || finishes_ > 0);
      writing_ = true;
    }
    if (actions.read) {
      EXPECT_FALSE(reading_ || finishes_ > 0);
      reading_ = true;
    }
    if (actions.finish) ++finishes_;
    if (actions.redeem) {
      const bool good = Below(4) != 0;
      opened_ |= good;
      Carry(machine_.OnClaimed(
          good ? std::optional(service::Claimed{kSocket, Tuple(), {}})
               : std::nullopt));
    }
  }

  void Step() {
    switch (Below(cancelled_ ? 4 : 40)) {
      case 0:
        return FinishRead();
      case 1:
        return FinishWrite();
      case 2:
        return AnswerOne();
      case 3:
        return FinishWatch();
      case 4:
        return Cancel();
      default:
        switch (Below(3)) {
          case 0:
            return FinishRead();
          case 1:
            return FinishWrite();
          default:
            return AnswerOne();
        }
    }
  }

  void FinishRead() {
    if (!reading_) return;
    reading_ = false;
    if (cancelled_ || Below(30) == 0) {
      Carry(machine_.OnNoMoreRequests());
    } else {
      Carry(machine_.OnRequest(AnyRequest()));
    }
  }

  absl::StatusOr<DecodedRequest> AnyRequest() {
    switch (Below(opened_ ? 24 : 2)) {
      case 0:
        return Dial("10.0.0.1:80");
      case 1:
        return Claim();
      case 2:
        return Eof();
      case 3:
        return ResetRequest();
      case 4:
        return absl::InvalidArgumentError("nonsense");
      case 5:
        return NoDelay();
      default:
        return Data("data");
    }
  }

  void FinishWrite() {
    if (!writing_) return;
    writing_ = false;
    Carry(machine_.OnWritten(!cancelled_));
  }

  void FinishWatch() {
    if (!watched_) return;
    watched_ = false;
    Carry(machine_.OnWatched());
  }

  void AnswerOne() {
    if (pending_.empty()) return;
    const size_t i = Below(pending_.size());
    const ReplyTo to = pending_[i];
    pending_.erase(pending_.begin() + static_cast<ptrdiff_t>(i));
    Carry(machine_.OnReply(to, AnyReply(to)));
  }

  Reply AnyReply(ReplyTo to) {
    if (releases_ > 0) return Failed(absl::CancelledError("closed"));
    if (Below(12) == 0) return PeerReset();
    if (to == ReplyTo::kOpen) {
      opened_ = true;
      return Opened();
    }
    if (to == ReplyTo::kReceive) return Received("data", Below(8) == 0);
    return Ok();
  }

  void Cancel() {
    cancelled_ = true;
    Carry(machine_.OnCancel());
  }

  tcpip::SeededRng rng_;
  StreamMachine machine_;
  std::vector<ReplyTo> pending_;
  bool reading_ = false;
  bool writing_ = false;
  bool watched_ = false;
  bool cancelled_ = false;
  bool opened_ = false;
  int finishes_ = 0;
  int releases_ = 0;
};

TEST(StreamMachineProperty, EndsOnceAndGivesItsSocketUpOnce) {
  for (uint64_t seed = 1; seed <= 2000; ++seed) {
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    World(seed).Run();
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace netstack::service
