// Listening and claiming, by a client that speaks gRPC itself.
#include <grpcpp/client_context.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "service/netstack.grpc.pb.h"
#include "tests/service/service_fixture.h"

namespace netstack {
namespace {

using tcpip::Duration;

// One Listen call.
class RawListener {
 public:
  RawListener(v1::Sockets::Stub& stub, const v1::ListenRequest& request)
      : reader_(stub.Listen(&context_, request)) {}
  ~RawListener() { End(); }

  v1::ListenEvent Next() {
    v1::ListenEvent event;
    EXPECT_TRUE(reader_->Read(&event));
    return event;
  }
  grpc::Status End() {
    if (reader_ == nullptr) return grpc::Status::OK;
    context_.TryCancel();
    return WaitEnd();
  }
  grpc::Status WaitEnd() {
    v1::ListenEvent event;
    while (reader_->Read(&event)) {
    }
    return std::exchange(reader_, nullptr)->Finish();
  }

 private:
  grpc::ClientContext context_;
  std::unique_ptr<grpc::ClientReader<v1::ListenEvent>> reader_;
};

v1::ListenRequest On(const std::string& local) {
  v1::ListenRequest request;
  request.set_local(local);
  return request;
}

class ListenTest : public ServiceTest {
 protected:
  // Also after the server was started anew.
  v1::Sockets::Stub& stub() {
    stub_ = v1::Sockets::NewStub(NewChannel());
    return *stub_;
  }

  // Claims with `token` and waits for the answer.
  grpc::Status Claim(const std::string& token) {
    grpc::ClientContext context;
    const auto call = stub().Stream(&context);
    v1::StreamRequest request;
    request.mutable_open()->mutable_claim()->set_token(token);
    call->Write(request);
    v1::StreamResponse response;
    if (call->Read(&response) && response.has_opened()) {
      context.TryCancel();
      call->Finish();
      return grpc::Status::OK;
    }
    return call->Finish();
  }

  // How many connections wait in the stack to be accepted there.
  uint64_t Waiting(const std::string& local) {
    const auto connections = client_->Connections(/*with_info=*/false);
    EXPECT_TRUE(connections.ok()) << connections.status();
    for (const v1::Connection& c : *connections) {
      if (c.state() == "LISTEN" && c.local() == local) {
        return c.receive_queue_bytes();
      }
    }
    ADD_FAILURE() << "nobody listens on " << local;
    return 0;
  }

  Stream Dial(const std::string& remote) {
    auto stream = client_->Dial(remote, {}, kPatience);
    EXPECT_TRUE(stream.ok()) << stream.status();
    return *std::move(stream);
  }

 private:
  std::unique_ptr<v1::Sockets::Stub> stub_;
};

TEST_F(ListenTest, ReportsItsPortAndEachConnection) {
  RawListener listener(stub(), On("127.0.0.1:0"));
  const std::string local = listener.Next().listening().local();
  EXPECT_NE(local, "127.0.0.1:0");
  const Stream one = Dial(local);
  const Stream two = Dial(local);
  const v1::Incoming first = listener.Next().incoming();
  const v1::Incoming second = listener.Next().incoming();
  EXPECT_EQ(first.local(), local);
  EXPECT_EQ(first.remote(), one.local());
  EXPECT_EQ(second.remote(), two.local());
  EXPECT_EQ(first.token().size(), 16u);
  EXPECT_NE(first.token(), second.token());
  EXPECT_EQ(first.claim_within_ms(), 10000u);
}

// [fault X36]
TEST_F(ListenTest, WrongTokenIsNotFound) {
  RawListener listener(stub(), On("127.0.0.1:0"));
  const Stream stream = Dial(listener.Next().listening().local());
  std::string token = listener.Next().incoming().token();
  token[0] ^= 1;
  for (const std::string& wrong : {token, std::string(), std::string("x")}) {
    EXPECT_EQ(Claim(wrong).error_code(), grpc::StatusCode::NOT_FOUND);
  }
}

TEST_F(ListenTest, TokenIsGoodOnce) {
  RawListener listener(stub(), On("127.0.0.1:0"));
  const Stream stream = Dial(listener.Next().listening().local());
  const std::string token = listener.Next().incoming().token();
  EXPECT_TRUE(Claim(token).ok());
  EXPECT_EQ(Claim(token).error_code(), grpc::StatusCode::NOT_FOUND);
}

TEST_F(ListenTest, ConnectionNobodyClaimsInTimeIsReset) {
  service::ServerConfig config;
  config.claim_lifetime = Duration::Milliseconds(50);
  StartServer(config);
  RawListener listener(stub(), On("127.0.0.1:0"));
  Stream stream = Dial(listener.Next().listening().local());
  const v1::Incoming incoming = listener.Next().incoming();
  EXPECT_EQ(incoming.claim_within_ms(), 50u);
  EXPECT_EQ(ReadError(stream).code(), absl::StatusCode::kAborted);
  EXPECT_EQ(Claim(incoming.token()).error_code(), grpc::StatusCode::NOT_FOUND);
  const auto stats = client_->Stats();
  ASSERT_TRUE(stats.ok()) << stats.status();
  EXPECT_EQ(stats->counters().at("claims_expired"), 1u);
}

// What is reported and not claimed is bounded; the others wait where no time
// limit is, and come one for each that is claimed.
TEST_F(ListenTest, WhatPassesTheBacklogOfUnclaimedWaitsInTheStack) {
  v1::ListenRequest request = On("127.0.0.1:0");
  request.set_backlog(2);
  RawListener listener(stub(), request);
  const std::string local = listener.Next().listening().local();
  std::vector<Stream> dialled;
  dialled.reserve(4);
  for (int i = 0; i < 4; ++i) dialled.push_back(Dial(local));
  const auto two_wait = [&] { return Waiting(local) == 2; };
  Eventually("two wait in the stack", two_wait);
  const std::string first = listener.Next().incoming().token();
  const std::string second = listener.Next().incoming().token();
  EXPECT_TRUE(two_wait());
  EXPECT_TRUE(Claim(first).ok());
  listener.Next();
  Eventually("one waits", [&] { return Waiting(local) == 1; });
  EXPECT_TRUE(Claim(second).ok());
  listener.Next();
  Eventually("none waits", [&] { return Waiting(local) == 0; });
}

// So goes on, with what waits, when nobody claims.
TEST_F(ListenTest, ExpiredConnectionsMakeRoomForTheNext) {
  service::ServerConfig config;
  config.claim_lifetime = Duration::Milliseconds(50);
  StartServer(config);
  v1::ListenRequest request = On("127.0.0.1:0");
  request.set_backlog(1);
  RawListener listener(stub(), request);
  const std::string local = listener.Next().listening().local();
  const Stream one = Dial(local);
  const Stream two = Dial(local);
  EXPECT_EQ(listener.Next().incoming().remote(), one.local());
  EXPECT_EQ(listener.Next().incoming().remote(), two.local());
}

TEST_F(ListenTest, CancelClosesTheListenerAndResetsWhatIsUnclaimed) {
  RawListener listener(stub(), On("127.0.0.1:0"));
  const std::string local = listener.Next().listening().local();
  Stream stream = Dial(local);
  const std::string token = listener.Next().incoming().token();
  EXPECT_EQ(listener.End().error_code(), grpc::StatusCode::CANCELLED);
  EXPECT_EQ(ReadError(stream).code(), absl::StatusCode::kAborted);
  EXPECT_EQ(Claim(token).error_code(), grpc::StatusCode::NOT_FOUND);
  Eventually("the port is free", [&] {
    RawListener again(stub(), On(local));
    v1::ListenEvent event;
    return again.Next().has_listening();
  });
}

TEST_F(ListenTest, ClosedListenerLeavesAcceptedStreamsAlone) {
  Pair pair = Connect();
  listener_->Close();
  EXPECT_EQ(listener_->Accept().status().code(), absl::StatusCode::kCancelled);
  Eventually("the listener ended", [&] { return server_->streams() == 2; });
  ASSERT_TRUE(WriteText(pair.near, "still here").ok());
  EXPECT_EQ(ReadText(pair.far, 10), "still here");
}

TEST_F(ListenTest, AcceptGivesUpInTime) {
  Listen();
  EXPECT_EQ(listener_->Accept(Duration::Milliseconds(1)).status().code(),
            absl::StatusCode::kDeadlineExceeded);
}

TEST_F(ListenTest, BadRequestsAreNamed) {
  v1::ListenRequest backlog = On("127.0.0.1:0");
  backlog.set_backlog(100000);
  const std::pair<v1::ListenRequest, const char*> cases[] = {
      {On("nonsense"), "local: 'nonsense'"}, {backlog, "backlog: '100000'"}};
  for (const auto& [request, says] : cases) {
    RawListener listener(stub(), request);
    const grpc::Status status = listener.WaitEnd();
    EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
    EXPECT_NE(status.error_message().find(says), std::string::npos) << says;
  }
}

// A client that only ends its requests has closed one direction, not both.
TEST_F(ListenTest, EndOfRequestsIsAnEofAndTheAnswerStillComes) {
  Listen();
  grpc::ClientContext context;
  const auto call = stub().Stream(&context);
  v1::StreamRequest request;
  request.mutable_open()->mutable_dial()->set_remote(listener_->local());
  EXPECT_TRUE(call->Write(request));
  EXPECT_TRUE(call->WritesDone());
  auto far = listener_->Accept(kPatience);
  ASSERT_TRUE(far.ok()) << far.status();
  EXPECT_TRUE(ReadAll(*far).empty());
  ASSERT_TRUE(WriteText(*far, "answer").ok());
  ASSERT_TRUE(far->CloseWrite().ok());
  std::string words;
  for (v1::StreamResponse response; call->Read(&response);) {
    words += response.has_opened()   ? "opened "
             : response.has_data()   ? response.data() + " "
             : response.has_eof()    ? "eof "
             : response.has_closed() ? "closed"
                                     : "? ";
  }
  EXPECT_EQ(words, "opened answer eof closed");
  EXPECT_TRUE(call->Finish().ok());
}

TEST_F(ListenTest, PortInUseIsAnError) {
  Listen();
  EXPECT_FALSE(client_->Listen(listener_->local()).ok());
}

}  // namespace
}  // namespace netstack
