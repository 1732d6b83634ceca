#include "service/stream_machine.h"

#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "service/stream_machine_fixture.h"

namespace netstack::service {
namespace {

using ReplyTo = StreamMachine::ReplyTo;
using tcpip::Reply;

class StreamMachineTest : public testing::Test {
 protected:
  std::string Start() { return Describe(machine_.OnStart()); }
  std::string On(absl::StatusOr<DecodedRequest> request) {
    return Describe(machine_.OnRequest(std::move(request)));
  }
  std::string NoMore() { return Describe(machine_.OnNoMoreRequests()); }
  std::string On(ReplyTo to, Reply reply) {
    return Describe(machine_.OnReply(to, std::move(reply)));
  }
  std::string Claimed(std::optional<service::Claimed> claimed) {
    return Describe(machine_.OnClaimed(claimed));
  }
  std::string Written() { return Describe(machine_.OnWritten(true)); }
  std::string WriteFailed() { return Describe(machine_.OnWritten(false)); }
  std::string Watched() { return Describe(machine_.OnWatched()); }
  std::string Cancelled() { return Describe(machine_.OnCancel()); }

  // Dialled, `opened` written; a read and a receive are out.
  void OpenStream() {
    Start();
    On(Dial("10.0.0.1:80"));
    On(ReplyTo::kOpen, Opened());
    Written();
  }

  StreamMachine machine_;
};

// --- Opening

TEST_F(StreamMachineTest, DialIsPostedAndNothingIsReadUntilItIsAnswered) {
  EXPECT_EQ(Start(), "read");
  EXPECT_EQ(On(Dial("10.0.0.1:80")), "TcpDial(10.0.0.1:80)->open");
  EXPECT_EQ(On(ReplyTo::kOpen, Opened()),
            "TcpRecv->receive write(opened 10.0.0.2:4000 10.0.0.1:80) read");
  EXPECT_EQ(Written(), "");
}

TEST_F(StreamMachineTest, FailedDialEndsTheCallWithItsStatus) {
  Start();
  On(Dial("10.0.0.1:80"));
  EXPECT_EQ(
      On(ReplyTo::kOpen, Failed(absl::UnavailableError("connection refused"))),
      "finish(UNAVAILABLE)");
  EXPECT_EQ(Cancelled(), "");
}

TEST_F(StreamMachineTest, ClaimIsRedeemedAndKeepsTheListenersSettings) {
  Start();
  EXPECT_EQ(On(Claim()), "redeem(token)");
  service::Claimed claimed{kSocket, Tuple(), {}};
  claimed.settings.no_delay = true;
  EXPECT_EQ(Claimed(claimed),
            "TcpRecv->receive write(opened 10.0.0.2:4000 10.0.0.1:80) read");
}

TEST_F(StreamMachineTest, OptionsOfAClaimAreAddedToTheListeners) {
  Start();
  v1::SocketOptions options;
  options.set_keepalive(true);
  On(Claim(options));
  service::Claimed claimed{kSocket, Tuple(), {}};
  claimed.settings.no_delay = true;
  EXPECT_EQ(Claimed(claimed),
            "SetSettings(no_delay=1 keepalive=1) TcpRecv->receive "
            "write(opened 10.0.0.2:4000 10.0.0.1:80) read");
}

// [fault X36] A token nobody has, or had.
TEST_F(StreamMachineTest, WrongClaimIsNotFound) {
  Start();
  On(Claim());
  EXPECT_EQ(Claimed(std::nullopt), "finish(NOT_FOUND)");
}

TEST_F(StreamMachineTest, FirstRequestMustBeAGoodOpen) {
  v1::Open bad_options;
  bad_options.mutable_claim()->set_token("token");
  bad_options.mutable_options()->set_keepalive_count(0);
  const absl::StatusOr<DecodedRequest> bad[] = {
      Data("x"),
      Eof(),
      ResetRequest(),
      NoDelay(),
      Request({}),
      Open({}),
      Open(bad_options),
      Dial(""),
      Dial("10.0.0.1"),
      Dial("10.0.0.1:0"),
      absl::InvalidArgumentError("nonsense bytes"),
  };
  for (const auto& request : bad) {
    StreamMachine machine;
    machine.OnStart();
    EXPECT_EQ(Describe(machine.OnRequest(request)), "finish(INVALID_ARGUMENT)");
  }
  Start();
  EXPECT_EQ(NoMore(), "finish(INVALID_ARGUMENT)");
}

// --- Data

// The next request is taken only when the send queue took the last one.
TEST_F(StreamMachineTest, EachRequestWaitsForTheShardToTakeTheLast) {
  OpenStream();
  EXPECT_EQ(On(Data("abc")), "TcpSend(3)->request");
  EXPECT_EQ(On(ReplyTo::kRequest, Ok()), "read");
  EXPECT_EQ(On(Data("")), "read");
  EXPECT_EQ(On(NoDelay()), "SetSettings(no_delay=1 keepalive=0)->request");
  EXPECT_EQ(On(ReplyTo::kRequest, Ok()), "read");
}

// The network is read only when the client took what was read before.
TEST_F(StreamMachineTest, TheNextReceiveWaitsForTheWrite) {
  OpenStream();
  EXPECT_EQ(On(ReplyTo::kReceive, Received("abc")), "write(data abc)");
  EXPECT_EQ(Written(), "TcpRecv->receive");
}

TEST_F(StreamMachineTest, DataWaitsWhileOpenedIsBeingWritten) {
  Start();
  On(Dial("10.0.0.1:80"));
  On(ReplyTo::kOpen, Opened());
  EXPECT_EQ(On(ReplyTo::kReceive, Received("abc")), "");
  EXPECT_EQ(Written(), "write(data abc)");
  EXPECT_EQ(Written(), "TcpRecv->receive");
}

// --- Closing, each way [fault F09]

TEST_F(StreamMachineTest, EofOfTheClientLeavesTheOtherDirectionOpen) {
  OpenStream();
  EXPECT_EQ(On(Eof()), "TcpCloseWrite->request");
  EXPECT_EQ(On(ReplyTo::kRequest, Ok()), "read");
  EXPECT_EQ(On(ReplyTo::kReceive, Received("answer")), "write(data answer)");
  EXPECT_EQ(Written(), "TcpRecv->receive");
  EXPECT_EQ(On(ReplyTo::kReceive, Received("", true)), "Close write(eof)");
  EXPECT_EQ(Written(), "write(closed)");
  EXPECT_EQ(Written(), "finish(OK)");
}

TEST_F(StreamMachineTest, EndOfTheClientsMessagesIsAnEofToo) {
  OpenStream();
  EXPECT_EQ(NoMore(), "TcpCloseWrite->request");
  EXPECT_EQ(On(ReplyTo::kRequest, Ok()), "");
  EXPECT_EQ(On(ReplyTo::kReceive, Received("answer", true)),
            "Close write(data answer)");
  EXPECT_EQ(Written(), "write(eof)");
  EXPECT_EQ(Written(), "write(closed)");
  EXPECT_EQ(Written(), "finish(OK)");
}

TEST_F(StreamMachineTest, EofOfThePeerLeavesTheOtherDirectionOpen) {
  OpenStream();
  EXPECT_EQ(On(ReplyTo::kReceive, Received("", true)), "write(eof)");
  EXPECT_EQ(Written(), "");
  EXPECT_EQ(On(Data("answer")), "TcpSend(6)->request");
  EXPECT_EQ(On(ReplyTo::kRequest, Ok()), "read");
  EXPECT_EQ(On(Eof()), "TcpCloseWrite->request Close write(closed)");
  EXPECT_EQ(On(ReplyTo::kRequest, Ok()), "");
  EXPECT_EQ(Written(), "finish(OK)");
}

TEST_F(StreamMachineTest, EofSaidTwiceIsOneEofAndDataAfterItIsAnError) {
  OpenStream();
  On(Eof());
  On(ReplyTo::kRequest, Ok());
  EXPECT_EQ(On(Eof()), "read");
  EXPECT_EQ(On(NoDelay()), "SetSettings(no_delay=1 keepalive=0)->request");
  EXPECT_EQ(On(ReplyTo::kRequest, Ok()), "read");
  EXPECT_EQ(On(Data("x")), "Abort finish(INVALID_ARGUMENT)");
}

// --- Resets

TEST_F(StreamMachineTest, LostConnectionIsTheLastWordButClosed) {
  const struct {
    absl::Status status;
    const char* reason;
  } cases[] = {
      {absl::AbortedError(""), "PEER_RESET"},
      {absl::DeadlineExceededError(""), "TIMED_OUT"},
      {absl::UnavailableError(""), "UNREACHABLE"},
      {absl::CancelledError(""), "SHUTDOWN"},
  };
  for (const auto& c : cases) {
    StreamMachine machine;
    machine.OnStart();
    machine.OnRequest(Dial("10.0.0.1:80"));
    machine.OnReply(ReplyTo::kOpen, Opened());
    machine.OnWritten(true);
    EXPECT_EQ(Describe(machine.OnReply(ReplyTo::kReceive, Failed(c.status))),
              absl::StrCat("Close write(reset ", c.reason, ")"));
    EXPECT_EQ(Describe(machine.OnWritten(true)), "write(closed)");
    EXPECT_EQ(Describe(machine.OnWritten(true)), "finish(OK)");
  }
}

TEST_F(StreamMachineTest, ResetAfterThePeersEofIsToldToo) {
  OpenStream();
  On(ReplyTo::kReceive, Received("", true));
  Written();
  On(Data("x"));
  EXPECT_EQ(On(ReplyTo::kRequest, PeerReset()),
            "Close watch write(reset PEER_RESET)");
}

TEST_F(StreamMachineTest, FailedSendLeavesTheLastWordToTheReceive) {
  OpenStream();
  On(ReplyTo::kReceive, Received("last words"));
  On(Data("x"));
  EXPECT_EQ(On(ReplyTo::kRequest, PeerReset()), "watch");
  EXPECT_EQ(Written(), "TcpRecv->receive");
  EXPECT_EQ(On(ReplyTo::kReceive, PeerReset()),
            "Close write(reset PEER_RESET)");
  EXPECT_EQ(Watched(), "watch");
  EXPECT_EQ(Written(), "write(closed)");
  EXPECT_EQ(Written(), "finish(OK)");
}

// It waits to write and does not read: only the status reaches it.
TEST_F(StreamMachineTest, ClientThatTakesNothingAfterALostSendIsTold) {
  OpenStream();
  On(ReplyTo::kReceive, Received("unread"));
  On(Data("x"));
  EXPECT_EQ(On(ReplyTo::kRequest, Failed(absl::DeadlineExceededError(""))),
            "watch");
  EXPECT_EQ(Watched(), "Abort cut(ABORTED) finish(ABORTED)");
  EXPECT_EQ(WriteFailed(), "");
  EXPECT_EQ(Cancelled(), "");
}

// gRPC calls a message written that it only keeps.
TEST_F(StreamMachineTest, ClientIsToldAlsoWhenAllWasSaid) {
  OpenStream();
  On(Data("x"));
  EXPECT_EQ(On(ReplyTo::kRequest, PeerReset()), "watch");
  On(ReplyTo::kReceive, PeerReset());
  Written();
  EXPECT_EQ(Written(), "finish(OK)");
  EXPECT_EQ(Watched(), "watch");
  EXPECT_EQ(Watched(), "cut(ABORTED)");
}

// A client that sends no more may take its time to read.
TEST_F(StreamMachineTest, FailedEofIsNotWatched) {
  OpenStream();
  On(ReplyTo::kReceive, Received("unread"));
  On(Eof());
  EXPECT_EQ(On(ReplyTo::kRequest, PeerReset()), "");
}

TEST_F(StreamMachineTest, RequestTheShardDidNotCarryOutFailsTheCall) {
  OpenStream();
  On(Data("x"));
  EXPECT_EQ(On(ReplyTo::kRequest, Failed(absl::ResourceExhaustedError(""))),
            "Abort finish(RESOURCE_EXHAUSTED)");
}

TEST_F(StreamMachineTest, ReceiveTheShardDidNotCarryOutFailsTheCall) {
  OpenStream();
  EXPECT_EQ(On(ReplyTo::kReceive, Failed(absl::ResourceExhaustedError(""))),
            "Abort finish(RESOURCE_EXHAUSTED)");
}

TEST_F(StreamMachineTest, ResetOfTheClientAborts) {
  OpenStream();
  EXPECT_EQ(On(ResetRequest()), "Abort write(reset ABORTED)");
  EXPECT_EQ(On(ReplyTo::kReceive, Failed(absl::CancelledError(""))), "");
  EXPECT_EQ(Written(), "write(closed)");
  EXPECT_EQ(Written(), "finish(OK)");
}

TEST_F(StreamMachineTest, BadRequestLosesItsOwnConnection) {
  v1::StreamRequest bad_options;
  bad_options.mutable_set_options()->set_keepalive_count(0);
  const absl::StatusOr<DecodedRequest> bad[] = {
      Dial("10.0.0.1:80"),
      Request({}),
      Request(bad_options),
      absl::InvalidArgumentError("nonsense bytes"),
  };
  for (const auto& request : bad) {
    StreamMachine machine;
    machine.OnStart();
    machine.OnRequest(Dial("10.0.0.1:80"));
    machine.OnReply(ReplyTo::kOpen, Opened());
    EXPECT_EQ(Describe(machine.OnRequest(request)),
              "Abort cut(INVALID_ARGUMENT) finish(INVALID_ARGUMENT)");
  }
}

// --- Cancel: the client's life is the socket's life

TEST_F(StreamMachineTest, CancelAborts) {
  OpenStream();
  EXPECT_EQ(Cancelled(), "Abort finish(CANCELLED)");
  EXPECT_EQ(NoMore(), "");
  EXPECT_EQ(On(ReplyTo::kReceive, Failed(absl::CancelledError(""))), "");
  EXPECT_EQ(Cancelled(), "");
}

TEST_F(StreamMachineTest, CancelEndsTheDialThatWaits) {
  Start();
  On(Dial("10.0.0.1:80"));
  EXPECT_EQ(Cancelled(), "cancel_open finish(CANCELLED)");
  EXPECT_EQ(On(ReplyTo::kOpen, Failed(absl::CancelledError(""))), "");
}

TEST_F(StreamMachineTest, ConnectionThatOpensAfterCancelIsAborted) {
  Start();
  On(Dial("10.0.0.1:80"));
  Cancelled();
  EXPECT_EQ(On(ReplyTo::kOpen, Opened()), "Abort");
}

TEST_F(StreamMachineTest, FailedDialAfterCancelIsNothing) {
  Start();
  On(Dial("10.0.0.1:80"));
  Cancelled();
  EXPECT_EQ(On(ReplyTo::kOpen, Failed(absl::UnavailableError(""))), "");
}

TEST_F(StreamMachineTest, CancelDuringTheLastWritesFinishesOnce) {
  OpenStream();
  On(ReplyTo::kReceive, PeerReset());
  EXPECT_EQ(WriteFailed(), "");
  EXPECT_EQ(Cancelled(), "finish(CANCELLED)");
  EXPECT_EQ(NoMore(), "");
}

}  // namespace
}  // namespace netstack::service
