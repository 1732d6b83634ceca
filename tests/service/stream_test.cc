// Streams of the socket service: what a TCP socket promises, over gRPC.
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/support/client_callback.h>

#include <algorithm>
#include <cstdint>
#include <future>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "service/netstack.grpc.pb.h"
#include "tests/service/service_fixture.h"

namespace netstack {
namespace {

using tcpip::Duration;

constexpr size_t kMegabyte = size_t{1} << 20;

using StreamTest = ServiceTest;

TEST_F(StreamTest, CarriesBytesBothWaysAndEndsInGoodOrder) {
  Pair pair = Connect();
  EXPECT_EQ(pair.near.remote(), listener_->local());
  EXPECT_EQ(pair.near.local(), pair.far.remote());
  ASSERT_TRUE(WriteText(pair.near, "question").ok());
  EXPECT_EQ(ReadText(pair.far, 8), "question");
  ASSERT_TRUE(WriteText(pair.far, "answer").ok());
  EXPECT_EQ(ReadText(pair.near, 6), "answer");
  CloseBoth(pair);
  Eventually("both streams ended", [&] { return server_->streams() == 1; });
}

// [fault F09] The answer to an end of data arrives, whole, and then its end.
TEST_F(StreamTest, LargeAnswerComesAfterOurEndOfData) {
  for (bool dialler_asks : {true, false}) {
    Pair pair = Connect();
    Stream& asks = dialler_asks ? pair.near : pair.far;
    Stream& answers = dialler_asks ? pair.far : pair.near;
    ASSERT_TRUE(WriteText(asks, "give").ok());
    ASSERT_TRUE(asks.CloseWrite().ok());
    EXPECT_EQ(ReadAll(answers).size(), 4u);
    std::thread answering([&] {
      EXPECT_TRUE(answers.Write(Pattern(3 * kMegabyte), kPatience).ok());
      EXPECT_TRUE(answers.CloseWrite().ok());
    });
    EXPECT_EQ(ReadAll(asks), Pattern(3 * kMegabyte));
    answering.join();
    EXPECT_EQ(asks.Finish(kPatience), absl::OkStatus());
    EXPECT_EQ(answers.Finish(kPatience), absl::OkStatus());
  }
}

TEST_F(StreamTest, WritingAfterTheEndOfDataIsAnError) {
  Pair pair = Connect();
  ASSERT_TRUE(pair.near.CloseWrite().ok());
  EXPECT_TRUE(pair.near.CloseWrite().ok());
  EXPECT_EQ(WriteText(pair.near, "x").code(),
            absl::StatusCode::kFailedPrecondition);
}

TEST_F(StreamTest, AbortIsAResetForThePeer) {
  for (bool dialler_aborts : {true, false}) {
    Pair pair = Connect();
    Stream& aborts = dialler_aborts ? pair.near : pair.far;
    Stream& other = dialler_aborts ? pair.far : pair.near;
    aborts.Abort();
    const absl::Status status = ReadError(other);
    EXPECT_EQ(status.code(), absl::StatusCode::kAborted);
    EXPECT_EQ(status.message(), "connection reset by peer");
    EXPECT_FALSE(ReadError(aborts).ok());
    EXPECT_FALSE(WriteText(aborts, "x").ok());
  }
}

// A client that dies takes its sockets with it.
TEST_F(StreamTest, DestroyedStreamIsAResetForThePeer) {
  Pair pair = Connect();
  ASSERT_TRUE(WriteText(pair.far, "unread").ok());
  { const Stream dies = std::move(pair.near); }
  EXPECT_EQ(ReadError(pair.far).code(), absl::StatusCode::kAborted);
}

TEST_F(StreamTest, AbortWakesAReaderAndAWriter) {
  Pair pair = Connect();
  std::thread reader([&] { EXPECT_FALSE(ReadError(pair.near).ok()); });
  std::thread writer([&] {
    const std::vector<uint8_t> block(kMegabyte);
    while (pair.near.Write(block).ok()) {
    }
  });
  // The far end does not read: the writer is held back at last.
  pair.near.Abort();
  reader.join();
  writer.join();
}

// One that does not read, with much or little that is unread.
TEST_F(StreamTest, ResetWakesAWriterAndSaysWhy) {
  for (const bool much : {false, true}) {
    SCOPED_TRACE(much ? "much is unread" : "little is unread");
    Pair pair = Connect();
    ASSERT_TRUE(WriteText(pair.far, "unread").ok());
    const std::vector<uint8_t> block(kMegabyte);
    const auto fill = [&](Stream& stream) {
      while (stream.Write(block, Duration::Milliseconds(300)).ok()) {
      }
    };
    if (much) fill(pair.far);
    fill(pair.near);
    // Again where a slow machine only looked like a full queue.
    std::future<absl::Status> written = std::async(std::launch::async, [&] {
      absl::Status status;
      while (status.ok()) status = pair.near.Write(block, kPatience);
      return status;
    });
    pair.far.Abort();
    const absl::Status reset = absl::AbortedError("connection reset by peer");
    EXPECT_EQ(written.get(), reset);
    EXPECT_EQ(ReadText(pair.near, 6), "unread");
    EXPECT_EQ(ReadError(pair.near), reset);
  }
}

TEST_F(StreamTest, ReadTimesOutAndGoesOn) {
  Pair pair = Connect();
  std::vector<uint8_t> buffer(10);
  EXPECT_EQ(pair.near.Read(buffer, Duration::Milliseconds(10)).status().code(),
            absl::StatusCode::kDeadlineExceeded);
  ASSERT_TRUE(WriteText(pair.far, "late").ok());
  EXPECT_EQ(ReadText(pair.near, 4), "late");
}

TEST_F(StreamTest, DialThatFailsSaysWhy) {
  Listen();
  const std::string address = listener_->local();
  listener_.reset();
  Eventually("the listener is gone", [&] {
    return client_->Dial(address, {}, kPatience).status().code() ==
           absl::StatusCode::kUnavailable;
  });
  const absl::Status bad = client_->Dial("localhost:80").status();
  EXPECT_EQ(bad.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_NE(bad.message().find("dial.remote: 'localhost:80'"),
            absl::string_view::npos);
}

// [req A-37] Only the stream whose peer does not read is held back.
TEST_F(StreamTest, SlowReaderHoldsUpNobodyElse) {
  Pair slow = Connect();
  Pair quick = Connect();
  size_t sent = 0;
  const std::vector<uint8_t> block = Pattern(kMegabyte);
  while (slow.near.Write(block, Duration::Milliseconds(300)).ok()) {
    sent += block.size();
    ASSERT_LT(sent, 100 * kMegabyte) << "nothing holds the writer back";
  }
  std::thread echo([&] {
    for (int i = 0; i < 50; ++i) {
      EXPECT_TRUE(WriteText(quick.far, ReadText(quick.far, 4)).ok());
    }
  });
  for (int i = 0; i < 50; ++i) {
    ASSERT_TRUE(WriteText(quick.near, "ping").ok());
    ASSERT_EQ(ReadText(quick.near, 4), "ping");
  }
  echo.join();
  CloseBoth(quick);
  // What was sent is there when the slow one reads at last.
  std::vector<uint8_t> first(kMegabyte);
  const std::string text = ReadText(slow.far, kMegabyte);
  EXPECT_TRUE(std::equal(text.begin(), text.end(), block.begin(), block.end(),
                         [](char a, uint8_t b) { return uint8_t(a) == b; }));
}

// [fault F19] Neither side waits for the other's reading for ever.
TEST_F(StreamTest, BothSidesWriteMuchBeforeTheyRead) {
  constexpr size_t kEach = 8 * kMegabyte;
  Pair pair = Connect();
  std::promise<void> begun[2];
  Stream* ends[2] = {&pair.near, &pair.far};
  std::vector<std::thread> writers;
  writers.reserve(2);
  for (int i = 0; i < 2; ++i) {
    writers.emplace_back([&, i] {
      const std::vector<uint8_t> all = Pattern(kEach);
      const auto half = std::span(all).first(kEach / 2);
      EXPECT_TRUE(ends[i]->Write(half, kPatience).ok());
      begun[i].set_value();
      EXPECT_TRUE(
          ends[i]->Write(std::span(all).subspan(kEach / 2), kPatience).ok());
      EXPECT_TRUE(ends[i]->CloseWrite(kPatience).ok());
    });
  }
  for (auto& b : begun) b.get_future().wait();
  for (Stream* end : ends) EXPECT_EQ(ReadAll(*end), Pattern(kEach));
  for (std::thread& w : writers) w.join();
}

// [fault F10] Nothing is left of connections that ended.
TEST_F(StreamTest, ManyShortConnectionsLeaveNothing) {
  for (int i = 0; i < 200; ++i) {
    Pair pair = Connect();
    ASSERT_TRUE(WriteText(pair.near, "x").ok());
    ASSERT_EQ(ReadText(pair.far, 1), "x");
    if (i % 3 == 0) continue;  // reset by destruction
    CloseBoth(pair);
  }
  listener_.reset();
  Eventually("no stream left", [&] { return server_->streams() == 0; });
  Eventually("no socket left", [&] {
    const auto stats = client_->Stats();
    return stats.ok() && stats->counters().at("sockets") == 0;
  });
}

// [fault F10] The limit is an answer, not a hang.
TEST_F(StreamTest, LimitIsAnAnswerAndFreedByAnEnd) {
  service::ServerConfig config;
  config.max_streams = 3;
  StartServer(config);
  Pair pair = Connect();  // with the listener: three
  const absl::Status refused = client_->Dial(listener_->local()).status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kResourceExhausted) << refused;
  CloseBoth(pair);
  Eventually("room again", [&] { return server_->streams() == 1; });
  Connect();
}

// Sends raw bytes as the first message of a Stream call; its status.
class RawCall final
    : public grpc::ClientBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer> {
 public:
  RawCall(const std::shared_ptr<grpc::Channel>& channel,
          const std::string& bytes)
      : stub_(channel) {
    const grpc::Slice slice(bytes);
    message_ = grpc::ByteBuffer(&slice, 1);
    stub_.PrepareBidiStreamingCall(&context_, "/netstack.v1.Sockets/Stream",
                                   grpc::StubOptions(), this);
    StartWrite(&message_);
    StartCall();
  }
  grpc::Status Wait() { return done_.get_future().get(); }

 private:
  void OnDone(const grpc::Status& status) override { done_.set_value(status); }

  grpc::GenericStub stub_;
  grpc::ClientContext context_;
  grpc::ByteBuffer message_;
  std::promise<grpc::Status> done_;
};

// [fault F11] An error belongs to the call that made it.
TEST_F(StreamTest, NonsenseLosesItsOwnCallOnly) {
  const auto channel = NewChannel();
  Pair pair = Connect();
  const std::string nonsense[] = {"\x12\x7f", std::string(1000, '\xff'), "",
                                  "\x12\x01x", std::string(2 * kMegabyte, 'x')};
  for (const std::string& bytes : nonsense) {
    RawCall call(channel, bytes);
    EXPECT_FALSE(call.Wait().ok()) << bytes.size();
  }
  ASSERT_TRUE(WriteText(pair.near, "alive").ok());
  EXPECT_EQ(ReadText(pair.far, 5), "alive");
  CloseBoth(pair);
  Eventually("no stream left", [&] { return server_->streams() == 1; });
}

// [fault X35] It is not taken for the client's end of data.
TEST_F(StreamTest, MessageThatIsTooLargeIsAnErrorAndAReset) {
  const auto stub = v1::Sockets::NewStub(NewChannel());
  Listen();
  for (const size_t size : {kMegabyte + 1, 2 * kMegabyte}) {
    grpc::ClientContext context;
    const auto call = stub->Stream(&context);
    v1::StreamRequest request;
    request.mutable_open()->mutable_dial()->set_remote(listener_->local());
    EXPECT_TRUE(call->Write(request));
    auto far = listener_->Accept(kPatience);
    ASSERT_TRUE(far.ok()) << far.status();
    request.set_data(std::string(size, 'x'));
    EXPECT_TRUE(call->Write(request));
    v1::StreamResponse response;
    while (call->Read(&response)) EXPECT_TRUE(response.has_opened());
    EXPECT_EQ(call->Finish().error_code(),
              grpc::StatusCode::RESOURCE_EXHAUSTED);
    EXPECT_EQ(ReadError(*far).code(), absl::StatusCode::kAborted);
  }
}

}  // namespace
}  // namespace netstack
