#include "service/stream_machine.h"

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gtest/gtest.h"
#include "tcpip/base/rng.h"

namespace netstack::service {
namespace {

namespace command = tcpip::command;
using Actions = StreamMachine::Actions;
using ReplyTo = StreamMachine::ReplyTo;
using tcpip::OwnedBytes;
using tcpip::Reply;

constexpr tcpip::SocketId kSocket = {7, 1};

tcpip::FourTuple Tuple() {
  return {*tcpip::IpEndpoint::Parse("10.0.0.2:4000"),
          *tcpip::IpEndpoint::Parse("10.0.0.1:80")};
}

OwnedBytes Bytes(const std::string& text) {
  OwnedBytes bytes = OwnedBytes::Allocate(text.size());
  std::memcpy(bytes.mutable_data(), text.data(), text.size());
  return bytes;
}

// Requests.
DecodedRequest Request(const v1::StreamRequest& message) {
  DecodedRequest request;
  request.kind = message.message_case();
  request.message = message;
  return request;
}
DecodedRequest Open(const v1::Open& open) {
  v1::StreamRequest message;
  *message.mutable_open() = open;
  return Request(message);
}
DecodedRequest Dial(const std::string& remote) {
  v1::Open open;
  open.mutable_dial()->set_remote(remote);
  return Open(open);
}
DecodedRequest Claim(const v1::SocketOptions& options = {}) {
  v1::Open open;
  open.mutable_claim()->set_token("token");
  *open.mutable_options() = options;
  return Open(open);
}
DecodedRequest Data(const std::string& text) {
  DecodedRequest request;
  request.kind = v1::StreamRequest::kData;
  request.data = Bytes(text);
  return request;
}
DecodedRequest Eof() {
  v1::StreamRequest message;
  message.mutable_eof();
  return Request(message);
}
DecodedRequest ResetRequest() {
  v1::StreamRequest message;
  message.mutable_reset();
  return Request(message);
}
DecodedRequest NoDelay() {
  v1::StreamRequest message;
  message.mutable_set_options()->set_no_delay(true);
  return Request(message);
}

// Replies.
Reply Ok(tcpip::reply::Body body = tcpip::reply::Done{}) {
  return {.cookie = 0, .status = absl::OkStatus(), .body = std::move(body)};
}
Reply Opened() { return Ok(tcpip::reply::Opened{kSocket, Tuple()}); }
Reply Received(const std::string& text, bool eof = false) {
  return Ok(tcpip::reply::Received{Bytes(text), eof});
}
Reply Failed(absl::Status status) {
  return {.cookie = 0, .status = std::move(status), .body = {}};
}
const absl::Status kPeerReset = absl::AbortedError("connection reset by peer");

// What the machine wants, as text: "TcpSend(3)->request write(eof) read".
struct NameOf {
  std::string operator()(const command::TcpDial& c) const {
    return absl::StrCat("TcpDial(", c.options.remote.ToString(), ")");
  }
  std::string operator()(const command::TcpSend& c) const {
    return absl::StrCat("TcpSend(", c.data.size(), ")");
  }
  std::string operator()(const command::TcpRecv&) const { return "TcpRecv"; }
  std::string operator()(const command::TcpCloseWrite&) const {
    return "TcpCloseWrite";
  }
  std::string operator()(const command::SetSettings& c) const {
    return absl::StrCat("SetSettings(no_delay=", c.settings.no_delay,
                        " keepalive=", c.settings.keepalive, ")");
  }
  std::string operator()(const command::Close&) const { return "Close"; }
  std::string operator()(const command::Abort&) const { return "Abort"; }
  template <typename Other>
  std::string operator()(const Other&) const {
    return "other";
  }
};

std::string NameOfMessage(const grpc::ByteBuffer& buffer) {
  std::vector<grpc::Slice> slices;
  EXPECT_TRUE(buffer.Dump(&slices).ok());
  std::string bytes;
  for (const grpc::Slice& s : slices) {
    bytes.append(reinterpret_cast<const char*>(s.begin()), s.size());
  }
  v1::StreamResponse message;
  EXPECT_TRUE(message.ParseFromString(bytes));
  switch (message.message_case()) {
    case v1::StreamResponse::kOpened:
      return absl::StrCat("opened ", message.opened().local(), " ",
                          message.opened().remote());
    case v1::StreamResponse::kData:
      return absl::StrCat("data ", message.data());
    case v1::StreamResponse::kEof:
      return "eof";
    case v1::StreamResponse::kReset:
      return absl::StrCat("reset ",
                          v1::Reset::Reason_Name(message.reset().reason()));
    case v1::StreamResponse::kClosed:
      return "closed";
    case v1::StreamResponse::MESSAGE_NOT_SET:
      break;
  }
  return "nothing";
}

std::string Describe(const Actions& actions) {
  constexpr const char* kTo[] = {"", "->open", "->request", "->receive"};
  std::vector<std::string> words;
  for (const StreamMachine::Post& post : actions.posts) {
    words.push_back(std::visit(NameOf(), post.body) +
                    kTo[static_cast<int>(post.reply_to)]);
  }
  if (actions.redeem) words.push_back("redeem(" + *actions.redeem + ")");
  if (actions.write) {
    words.push_back("write(" + NameOfMessage(*actions.write) + ")");
  }
  if (actions.read) words.push_back("read");
  if (actions.finish) {
    words.push_back(absl::StrCat(
        "finish(",
        absl::StatusCodeToString(
            static_cast<absl::StatusCode>(actions.finish->error_code())),
        ")"));
  }
  return absl::StrJoin(words, " ");
}

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
    return Describe(machine_.OnClaimed(std::move(claimed)));
  }
  std::string Written() { return Describe(machine_.OnWritten(true)); }
  std::string WriteFailed() { return Describe(machine_.OnWritten(false)); }
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
  EXPECT_EQ(On(Data("x")), "Abort finish(INVALID_ARGUMENT)");
}

// --- Resets

TEST_F(StreamMachineTest, LostConnectionIsTheLastWordButClosed) {
  const struct {
    absl::Status status;
    const char* reason;
  } cases[] = {
      {kPeerReset, "PEER_RESET"},
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
  EXPECT_EQ(On(ReplyTo::kRequest, Failed(kPeerReset)),
            "Close write(reset PEER_RESET)");
}

TEST_F(StreamMachineTest, FailedSendLeavesTheLastWordToTheReceive) {
  OpenStream();
  On(ReplyTo::kReceive, Received("last words"));
  On(Data("x"));
  EXPECT_EQ(On(ReplyTo::kRequest, Failed(kPeerReset)), "");
  EXPECT_EQ(Written(), "TcpRecv->receive");
  EXPECT_EQ(On(ReplyTo::kReceive, Failed(kPeerReset)),
            "Close write(reset PEER_RESET)");
}

TEST_F(StreamMachineTest, RequestTheShardDidNotCarryOutFailsTheCall) {
  OpenStream();
  On(Data("x"));
  EXPECT_EQ(On(ReplyTo::kRequest, Failed(absl::ResourceExhaustedError(""))),
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
              "Abort finish(INVALID_ARGUMENT)");
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

TEST_F(StreamMachineTest, ConnectionThatOpensAfterCancelIsAborted) {
  Start();
  On(Dial("10.0.0.1:80"));
  EXPECT_EQ(Cancelled(), "finish(CANCELLED)");
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
  On(ReplyTo::kReceive, Failed(kPeerReset));
  EXPECT_EQ(WriteFailed(), "");
  EXPECT_EQ(Cancelled(), "finish(CANCELLED)");
  EXPECT_EQ(NoMore(), "");
}

// --- Whatever happens

// gRPC and the shard as the machine sees them: they answer what was asked, in
// any order, and complain when asked what they do not allow.
class World {
 public:
  explicit World(uint64_t seed) : rng_(seed) {}

  void Run() {
    Carry(machine_.OnStart());
    for (int step = 0; step < 60; ++step) Step();
    if (!cancelled_) Cancel();
    while (reading_ || writing_ || !pending_.empty()) Step();
    EXPECT_EQ(finishes_, 1);
    EXPECT_EQ(releases_, opened_ ? 1 : 0);
  }

 private:
  uint64_t Below(uint64_t n) { return rng_.Next() % n; }

  void Carry(Actions actions) {
    for (const StreamMachine::Post& post : actions.posts) {
      const bool releases = std::holds_alternative<command::Close>(post.body) ||
                            std::holds_alternative<command::Abort>(post.body);
      EXPECT_EQ(releases_, 0) << "a command for a socket that was given up";
      releases_ += releases;
      if (post.reply_to == ReplyTo::kNobody) continue;
      for (ReplyTo other : pending_) EXPECT_NE(other, post.reply_to);
      pending_.push_back(post.reply_to);
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
    switch (Below(cancelled_ ? 3 : 40)) {
      case 0:
        return FinishRead();
      case 1:
        return FinishWrite();
      case 2:
        return AnswerOne();
      case 3:
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

  void AnswerOne() {
    if (pending_.empty()) return;
    const size_t i = Below(pending_.size());
    const ReplyTo to = pending_[i];
    pending_.erase(pending_.begin() + static_cast<ptrdiff_t>(i));
    Carry(machine_.OnReply(to, AnyReply(to)));
  }

  Reply AnyReply(ReplyTo to) {
    if (releases_ > 0) return Failed(absl::CancelledError("closed"));
    if (Below(12) == 0) return Failed(kPeerReset);
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
