#include "tcpip/shard/command_processor.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tcpip/base/rng.h"
#include "tcpip/buffer/packet.h"
#include "tcpip/buffer/slab.h"
#include "tcpip/link/loopback.h"
#include "tcpip/shard/mailbox.h"
#include "tcpip/testing/waiting_client.h"

namespace tcpip {
namespace {

OwnedBytes Bytes(size_t size) {
  OwnedBytes bytes = OwnedBytes::Allocate(size);
  for (size_t i = 0; i < size; ++i) {
    bytes.mutable_data()[i] = static_cast<uint8_t>(i % 251);
  }
  return bytes;
}

// One stack that talks to itself over a mirror, stepped by hand; and an
// interface whose packets go nowhere.
class CommandProcessorTest : public testing::Test {
 protected:
  CommandProcessorTest() {
    InterfaceConfig mirror;
    mirror.name = "lo";
    mirror.loopback = true;
    mirror.link.mtu = 65535;
    lo_ = stack_.AddInterface(mirror);
    EXPECT_TRUE(stack_.AddAddress(lo_, *Cidr::Parse("127.0.0.1/8")).ok());
    InterfaceConfig nowhere;
    nowhere.name = "hole";
    hole_ = stack_.AddInterface(nowhere);
    EXPECT_TRUE(stack_.AddAddress(hole_, *Cidr::Parse("10.9.0.1/24")).ok());
  }

  ~CommandProcessorTest() override { stack_.CheckInvariants(); }

  // Posts a command and lets everything that can happen now happen.
  template <typename C>
  void Post(uint64_t cookie, C body) {
    PostOnly(cookie, std::move(body));
    Pump();
  }
  template <typename C>
  void PostOnly(uint64_t cookie, C body) {
    Command command;
    command.reply_to = {replies_, cookie};
    command.body = std::move(body);
    processor_.OnCommand(std::move(command), now_);
  }

  void TellReadySockets() {
    while (std::optional<ReadyEvent> event = stack_.NextReady()) {
      others_ += processor_.OnReady(*event, now_) ? 0 : 1;
    }
  }

  // Everything sent until now arrives; false when there was nothing.
  bool Deliver() {
    PacketBatch batch;
    stack_.DrainOutput(lo_, batch, 64, now_);
    mirror_.WriteBatch(batch);
    batch.clear();
    mirror_.ReadBatch(pool_, batch, 64, now_);
    stack_.OnPackets(lo_, batch, now_);
    return !batch.empty();
  }

  void Pump() {
    do {
      TellReadySockets();
    } while (Deliver());
    PacketBatch lost;
    stack_.DrainOutput(hole_, lost, 64, now_);
  }

  void Advance(Duration by) {
    const Instant end = now_ + by;
    while (true) {
      const Instant next =
          std::min(stack_.NextDeadline(), processor_.NextDeadline());
      if (next > end) break;
      now_ = std::max(now_, next);
      stack_.OnTimers(now_);
      processor_.OnTimers(now_);
      Pump();
    }
    now_ = end;
  }

  // The reply to the cookie, if it has come; each can be taken once.
  std::optional<Reply> Take(uint64_t cookie) {
    replies_->PopAll(arrived_);
    for (size_t i = 0; i < arrived_.size(); ++i) {
      if (arrived_[i].cookie != cookie) continue;
      Reply reply = std::move(arrived_[i]);
      arrived_.erase(arrived_.begin() + static_cast<ptrdiff_t>(i));
      return reply;
    }
    return std::nullopt;
  }

  absl::StatusCode Code(uint64_t cookie) {
    const std::optional<Reply> reply = Take(cookie);
    EXPECT_TRUE(reply.has_value()) << "no reply to " << cookie;
    return reply ? reply->status.code() : absl::StatusCode::kUnknown;
  }

  template <typename Body>
  Body Expect(uint64_t cookie) {
    std::optional<Reply> reply = Take(cookie);
    if (!reply || !reply->status.ok() ||
        !std::holds_alternative<Body>(reply->body)) {
      ADD_FAILURE() << "reply to " << cookie << ": "
                    << (reply ? reply->status.ToString() : "none");
      return {};
    }
    return std::get<Body>(std::move(reply->body));
  }
  SocketId OnlySocket() {
    PostOnly(8, command::ListSockets{});
    return Expect<reply::Sockets>(8).entries.at(0).summary.socket;
  }

  SocketId Listen(const char* local) {
    Post(1, ListenOn(local));
    return Expect<reply::Opened>(1).socket;
  }

  // Both ends of an established connection.
  std::pair<SocketId, SocketId> Established() {
    listener_ = Listen("127.0.0.1:80");
    Post(2, Dial("127.0.0.1:80"));
    const SocketId client = Expect<reply::Opened>(2).socket;
    Post(3, command::TcpAccept{listener_});
    return {client, Expect<reply::Opened>(3).socket};
  }

  SlabPool pool_;
  SeededRng rng_{42};
  Instant now_ = Instant::FromNanoseconds(1'000'000'000);
  Stack stack_{StackConfig{}, pool_, rng_, now_};
  Loopback mirror_;
  const LoopStats loop_{.start = now_, .turns = 7};
  CommandProcessor processor_{stack_, mirror_, loop_, 16};
  std::shared_ptr<ReplyQueue> replies_ = std::make_shared<ReplyQueue>();
  std::vector<Reply> arrived_;
  InterfaceId lo_ = 0, hole_ = 0;
  SocketId listener_;
  int others_ = 0;
};

TEST_F(CommandProcessorTest, DialIsAnsweredWhenTheHandshakeIsDone) {
  const SocketId listener = Listen("127.0.0.1:80");
  Post(7, Dial("127.0.0.1:80"));
  const auto opened = Expect<reply::Opened>(7);
  EXPECT_TRUE(opened.socket.IsValid());
  EXPECT_NE(opened.socket, listener);
  EXPECT_EQ(opened.tuple.remote, EndpointOf("127.0.0.1:80"));
}

TEST_F(CommandProcessorTest, DialOfAClosedPortIsRefused) {
  Post(7, Dial("127.0.0.1:81"));
  const std::optional<Reply> reply = Take(7);
  ASSERT_TRUE(reply.has_value());
  EXPECT_EQ(reply->status, absl::UnavailableError("connection refused"));
  EXPECT_EQ(stack_.Stats().sockets, 0u);
}

TEST_F(CommandProcessorTest, DialGivesUpAtItsTimeout) {
  Post(7, Dial("10.9.0.9:80", Duration::Milliseconds(300)));
  Advance(Duration::Milliseconds(299));
  EXPECT_FALSE(Take(7).has_value());
  Advance(Duration::Milliseconds(1));
  EXPECT_EQ(Code(7), absl::StatusCode::kDeadlineExceeded);
  EXPECT_EQ(stack_.Stats().sockets, 0u);
  EXPECT_TRUE(processor_.NextDeadline().IsNever());
}

TEST_F(CommandProcessorTest, DialWithoutTimeoutEndsWithTheSynRetries) {
  Post(7, Dial("10.9.0.9:80"));
  Advance(Duration::Seconds(600));
  EXPECT_EQ(Code(7), absl::StatusCode::kDeadlineExceeded);
  EXPECT_EQ(stack_.Stats().sockets, 0u);
}

TEST_F(CommandProcessorTest, CancelledDialAndPingLeaveNoSocketAtOnce) {
  Post(7, Dial("10.9.0.9:80"));
  Post(8, Dial("10.9.0.9:80", Duration::Seconds(9)));
  Post(9, command::Ping{.remote = *IpAddress::Parse("10.9.0.9"),
                        .timeout = Duration::Seconds(9)});
  EXPECT_EQ(stack_.Stats().sockets, 3u);
  for (uint64_t cookie : {7, 8, 9}) {
    Post(20, command::Cancel{cookie});
    Expect<reply::Done>(20);
    EXPECT_EQ(Code(cookie), absl::StatusCode::kCancelled);
  }
  EXPECT_EQ(stack_.Stats().sockets, 0u);
  EXPECT_TRUE(processor_.NextDeadline().IsNever());
}

TEST_F(CommandProcessorTest, OnlyWhatWaitsForTheSameClientIsCancelled) {
  const SocketId listener = Listen("127.0.0.1:80");
  Post(7, Dial("127.0.0.1:80"));
  Expect<reply::Opened>(7);
  Post(8, command::TcpAccept{listener});
  Expect<reply::Opened>(8);
  Post(9, Dial("10.9.0.9:80"));
  for (uint64_t cookie : {7, 8, 99}) {
    Post(20, command::Cancel{cookie});
    EXPECT_EQ(Code(20), absl::StatusCode::kNotFound) << cookie;
  }
  const auto others = std::make_shared<ReplyQueue>();
  processor_.OnCommand({.reply_to = {others, 21}, .body = command::Cancel{9}},
                       now_);
  others->PopAll(arrived_);
  EXPECT_EQ(Code(21), absl::StatusCode::kNotFound);
  EXPECT_FALSE(Take(9).has_value());
  // Neither can be cancelled that ended by itself.
  Advance(Duration::Seconds(600));
  EXPECT_EQ(Code(9), absl::StatusCode::kDeadlineExceeded);
  Post(20, command::Cancel{9});
  EXPECT_EQ(Code(20), absl::StatusCode::kNotFound);
}

TEST_F(CommandProcessorTest, ACancelMayNameWhomTheCommandWasToAnswer) {
  Post(9, Dial("10.9.0.9:80"));
  const auto others = std::make_shared<ReplyQueue>();
  processor_.OnCommand(
      {.reply_to = {others, 21}, .body = command::Cancel{9, replies_.get()}},
      now_);
  EXPECT_EQ(Code(9), absl::StatusCode::kCancelled);
  others->PopAll(arrived_);
  Expect<reply::Done>(21);
}

TEST_F(CommandProcessorTest, AcceptsAreServedFirstComeFirst) {
  const SocketId listener = Listen("127.0.0.1:80");
  Post(11, command::TcpAccept{listener});
  Post(12, command::TcpAccept{listener});
  EXPECT_FALSE(Take(11).has_value());
  Post(21, Dial("127.0.0.1:80"));
  const auto dialled = Expect<reply::Opened>(21);
  const auto accepted = Expect<reply::Opened>(11);
  EXPECT_EQ(accepted.tuple.remote, dialled.tuple.local);
  EXPECT_FALSE(Take(12).has_value());
  Post(22, Dial("127.0.0.1:80"));
  EXPECT_EQ(Expect<reply::Opened>(12).tuple.remote,
            Expect<reply::Opened>(22).tuple.local);
}

// The second connection's SYN comes in while the first one waits, its last ACK
// when the first has been accepted: no wake-up may be lost between.
TEST_F(CommandProcessorTest, AcceptHearsOfAConnectionThatOverlapsAnother) {
  const SocketId listener = Listen("127.0.0.1:80");
  PostOnly(21, Dial("127.0.0.1:80"));
  Deliver();  // SYN 1
  Deliver();  // SYN-ACK 1
  PostOnly(22, Dial("127.0.0.1:80"));
  Deliver();  // ACK 1, SYN 2
  TellReadySockets();
  PostOnly(11, command::TcpAccept{listener});
  PostOnly(12, command::TcpAccept{listener});
  Pump();
  Expect<reply::Opened>(11);
  Expect<reply::Opened>(12);
}

TEST_F(CommandProcessorTest, RecvWaitsForBytesAndGivesThem) {
  const auto [client, server] = Established();
  Post(30, command::TcpRecv{server});
  EXPECT_FALSE(Take(30).has_value());
  Post(31, command::TcpSend{client, Bytes(1000)});
  Expect<reply::Done>(31);
  const auto received = Expect<reply::Received>(30);
  ASSERT_EQ(received.data.size(), 1000u);
  EXPECT_EQ(received.data.span()[999], 999 % 251);
  EXPECT_FALSE(received.eof);
}

TEST_F(CommandProcessorTest, RecvGivesAtMostWhatWasAskedFor) {
  const auto [client, server] = Established();
  Post(31, command::TcpSend{client, Bytes(10)});
  Post(32, command::TcpCloseWrite{client});
  Post(33, command::TcpRecv{server, 4});
  Post(34, command::TcpRecv{server, 6});
  Post(35, command::TcpRecv{server, 4});
  EXPECT_EQ(Expect<reply::Received>(33).data.size(), 4u);
  const auto second = Expect<reply::Received>(34);
  EXPECT_EQ(second.data.size(), 6u);
  EXPECT_FALSE(second.eof) << "not known while the request was filled";
  const auto end = Expect<reply::Received>(35);
  EXPECT_EQ(end.data.size(), 0u);
  EXPECT_TRUE(end.eof);
}

TEST_F(CommandProcessorTest, EofComesWithTheLastBytes) {
  const auto [client, server] = Established();
  Post(31, command::TcpSend{client, Bytes(10)});
  Post(32, command::TcpCloseWrite{client});
  Post(33, command::TcpRecv{server});
  const auto received = Expect<reply::Received>(33);
  EXPECT_EQ(received.data.size(), 10u);
  EXPECT_TRUE(received.eof);
  // The other direction goes on.
  Post(34, command::TcpSend{server, Bytes(5)});
  Post(35, command::TcpRecv{client});
  EXPECT_EQ(Expect<reply::Received>(35).data.size(), 5u);
}

// A send larger than every buffer is taken piece by piece, and answered when
// the last byte is queued.
TEST_F(CommandProcessorTest, SendIsAnsweredWhenAllOfItIsQueued) {
  const auto [client, server] = Established();
  constexpr size_t kSize = 20 << 20;
  Post(40, command::TcpSend{client, Bytes(kSize)});
  EXPECT_FALSE(Take(40).has_value());
  size_t got = 0;
  uint64_t cookie = 100;
  for (; got < kSize && cookie < 10'000; ++cookie) {
    Post(cookie, command::TcpRecv{server});
    const std::optional<Reply> reply = Take(cookie);
    if (!reply) break;
    const auto& received = std::get<reply::Received>(reply->body);
    for (size_t i = 0; i < received.data.size(); ++i, ++got) {
      ASSERT_EQ(received.data.span()[i], got % 251) << got;
    }
  }
  EXPECT_EQ(got, kSize);
  Expect<reply::Done>(40);
}

TEST_F(CommandProcessorTest, OneSendAndOneRecvMayBePending) {
  const auto [client, server] = Established();
  Post(50, command::TcpRecv{server});
  Post(51, command::TcpRecv{server});
  EXPECT_EQ(Code(51), absl::StatusCode::kFailedPrecondition);
  Post(52, command::TcpSend{client, Bytes(20 << 20)});
  Post(53, command::TcpSend{client, Bytes(1)});
  EXPECT_EQ(Code(53), absl::StatusCode::kFailedPrecondition);
  Post(54, command::TcpCloseWrite{client});
  EXPECT_EQ(Code(54), absl::StatusCode::kFailedPrecondition);
}

TEST_F(CommandProcessorTest, CloseCancelsWhatIsPending) {
  const auto [client, server] = Established();
  Post(60, command::TcpRecv{client});
  Post(61, command::Close{client});
  EXPECT_EQ(Code(60), absl::StatusCode::kCancelled);
  Expect<reply::Done>(61);
  Post(62, command::TcpRecv{client});
  EXPECT_EQ(Code(62), absl::StatusCode::kNotFound);
  Post(63, command::TcpRecv{server});
  EXPECT_TRUE(Expect<reply::Received>(63).eof);
}

TEST_F(CommandProcessorTest, AbortResetsThePeer) {
  const auto [client, server] = Established();
  Post(60, command::TcpRecv{server});
  Post(61, command::Abort{client});
  Expect<reply::Done>(61);
  const std::optional<Reply> reply = Take(60);
  ASSERT_TRUE(reply.has_value());
  EXPECT_EQ(reply->status, absl::AbortedError("connection reset by peer"));
  Post(62, command::TcpSend{server, Bytes(1)});
  EXPECT_EQ(Code(62), absl::StatusCode::kAborted);
}

TEST_F(CommandProcessorTest, ClosingAListenerCancelsItsAccepts) {
  const SocketId listener = Listen("127.0.0.1:80");
  Post(70, command::TcpAccept{listener});
  Post(71, command::Close{listener});
  EXPECT_EQ(Code(70), absl::StatusCode::kCancelled);
  Post(72, Dial("127.0.0.1:80"));
  EXPECT_EQ(Code(72), absl::StatusCode::kUnavailable);
}

TEST_F(CommandProcessorTest, WrongKindOfSocketIsAFailedPrecondition) {
  const SocketId listener = Listen("127.0.0.1:80");
  Post(70, command::TcpSend{listener, Bytes(1)});
  EXPECT_EQ(Code(70), absl::StatusCode::kFailedPrecondition);
  Post(71, command::UdpRecv{listener});
  EXPECT_EQ(Code(71), absl::StatusCode::kFailedPrecondition);
}

TEST_F(CommandProcessorTest, TooManyPendingCommandsAreRefused) {
  const SocketId listener = Listen("127.0.0.1:80");
  for (uint64_t i = 0; i < 16; ++i) Post(100 + i, command::TcpAccept{listener});
  Post(200, command::TcpAccept{listener});
  EXPECT_EQ(Code(200), absl::StatusCode::kResourceExhausted);
  Post(201, Dial("10.9.0.9:80"));
  EXPECT_EQ(Code(201), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(stack_.Stats().sockets, 1u) << "the refused dial left a socket";
}

TEST_F(CommandProcessorTest, CancelAllAnswersEverything) {
  const auto [client, server] = Established();
  Post(80, command::TcpRecv{client});
  Post(81, command::TcpRecv{server});
  Post(82, command::TcpAccept{listener_});
  Post(83, Dial("10.9.0.9:80", Duration::Seconds(5)));
  processor_.CancelAll();
  for (uint64_t cookie = 80; cookie <= 83; ++cookie) {
    EXPECT_EQ(Code(cookie), absl::StatusCode::kCancelled);
  }
  EXPECT_TRUE(processor_.NextDeadline().IsNever());
}

TEST_F(CommandProcessorTest, DatagramsKeepTheirBoundaries) {
  Post(1, UdpOn("127.0.0.1:53"));
  const SocketId server = Expect<reply::Opened>(1).socket;
  Post(2, UdpOn("127.0.0.1:0"));
  const auto client = Expect<reply::Opened>(2);
  Post(3, command::UdpRecv{server});
  for (size_t size : {10, 0, 20}) {
    Post(4, command::UdpSend{client.socket, EndpointOf("127.0.0.1:53"),
                             Bytes(size)});
    Expect<reply::Done>(4);
  }
  Post(5, command::UdpRecv{server});
  Post(6, command::UdpRecv{server});
  const auto first = Expect<reply::DatagramReceived>(3);
  EXPECT_EQ(first.payload.size(), 10u);
  EXPECT_EQ(first.source, client.tuple.local);
  EXPECT_EQ(Expect<reply::DatagramReceived>(5).payload.size(), 0u);
  EXPECT_EQ(Expect<reply::DatagramReceived>(6).payload.size(), 20u);
}

TEST_F(CommandProcessorTest, ADatagramMayBeLookedAtAndReadInPart) {
  Post(1, UdpOn("127.0.0.1:53"));
  const SocketId server = Expect<reply::Opened>(1).socket;
  Post(2, command::UdpRecv{server, {.max_bytes = 4, .peek = true}});
  Post(3, command::UdpSend{server, EndpointOf("127.0.0.1:53"), Bytes(10)});
  for (const uint64_t cookie : {2, 4}) {
    if (cookie == 4) Post(4, command::UdpRecv{server, {.max_bytes = 4}});
    const auto got = Expect<reply::DatagramReceived>(cookie);
    EXPECT_EQ(got.payload.size(), 4u);
    EXPECT_EQ(got.size, 10u);
    EXPECT_EQ(got.interface, lo_);
  }
  // The rest is gone.
  Post(5, command::UdpRecv{server});
  EXPECT_FALSE(Take(5).has_value());
}

TEST_F(CommandProcessorTest, AUdpSocketIsConnectedAndUnconnected) {
  Post(1, UdpOn("0.0.0.0:0"));
  const SocketId socket = Expect<reply::Opened>(1).socket;
  const auto send = [&](uint64_t cookie, size_t size) {
    Post(cookie, command::UdpSend{socket, std::nullopt, Bytes(size)});
    return Code(cookie);
  };
  EXPECT_EQ(send(2, 1), absl::StatusCode::kInvalidArgument);
  Post(3, command::UdpConnect{socket, EndpointOf("10.9.0.9:53")});
  Expect<reply::Done>(3);
  EXPECT_EQ(send(4, 2000), absl::StatusCode::kOk);
  Post(5, command::UdpGetPathMtu{socket, std::nullopt});
  EXPECT_EQ(Expect<reply::PathMtu>(5).bytes, 1500u);
  Post(6, command::UdpSetSettings{socket, {.dont_fragment = true}});
  Expect<reply::Done>(6);
  EXPECT_EQ(send(7, 2000), absl::StatusCode::kInvalidArgument);
  Post(8, command::UdpConnect{socket, std::nullopt});
  Expect<reply::Done>(8);
  EXPECT_EQ(send(9, 1), absl::StatusCode::kInvalidArgument);
  Post(10, command::UdpGetPathMtu{socket, EndpointOf("127.0.0.1:1")});
  EXPECT_EQ(Expect<reply::PathMtu>(10).bytes, 65535u);
}

TEST_F(CommandProcessorTest, PingIsAnsweredAndLeavesNoSocket) {
  Post(90, command::Ping{*IpAddress::Parse("127.0.0.1"), 7});
  EXPECT_EQ(Expect<reply::PingReply>(90).reply.seq, 7);
  EXPECT_EQ(stack_.Stats().sockets, 0u);
}

TEST_F(CommandProcessorTest, UnansweredPingTimesOut) {
  Post(90, command::Ping{*IpAddress::Parse("10.9.0.9"), 7});
  Advance(Duration::Seconds(1));
  EXPECT_EQ(Code(90), absl::StatusCode::kDeadlineExceeded);
  EXPECT_EQ(stack_.Stats().sockets, 0u);
}

TEST_F(CommandProcessorTest, ASocketNobodyHearsOfIsAborted) {
  const SocketId listener = Listen("127.0.0.1:80");
  Command dial;
  dial.body = Dial("127.0.0.1:80");
  processor_.OnCommand(std::move(dial), now_);
  Pump();
  Post(5, command::TcpAccept{listener});
  Pump();
  const std::optional<Reply> accepted = Take(5);
  if (accepted && accepted->status.ok()) {
    Post(6, command::TcpRecv{std::get<reply::Opened>(accepted->body).socket});
    EXPECT_EQ(Code(6), absl::StatusCode::kAborted);
  }
}

TEST_F(CommandProcessorTest, SocketsOfOthersAreNotTouched) {
  const absl::StatusOr<SocketId> own =
      stack_.TcpListen(ListenOn("127.0.0.1:99").options);
  ASSERT_TRUE(own.ok());
  Post(1, Dial("127.0.0.1:99"));
  Expect<reply::Opened>(1);
  EXPECT_GE(others_, 1);
  Post(2, command::TcpAccept{*own});
  EXPECT_EQ(Code(2), absl::StatusCode::kNotFound);
}

TEST_F(CommandProcessorTest, NetworkCommandsNameInterfaces) {
  Post(1, command::AddAddress{"hole", *Cidr::Parse("10.8.0.1/24")});
  Expect<reply::Done>(1);
  Post(2, command::AddAddress{"none", *Cidr::Parse("10.8.0.1/24")});
  EXPECT_EQ(Code(2), absl::StatusCode::kNotFound);
  Post(3, command::AddRoute{*Cidr::Parse("10.7.0.0/16"), "hole"});
  Expect<reply::Done>(3);
  Post(4, command::GetNetwork{});
  const auto network = Expect<reply::Network>(4);
  EXPECT_EQ(network.interfaces.size(), 2u);
  Post(5, command::RemoveRoute{*Cidr::Parse("10.7.0.0/16")});
  Expect<reply::Done>(5);
  Post(6, command::RemoveRoute{*Cidr::Parse("10.7.0.0/16")});
  EXPECT_EQ(Code(6), absl::StatusCode::kNotFound);
  Post(7, command::RemoveAddress{"hole", *IpAddress::Parse("10.8.0.1")});
  Expect<reply::Done>(7);
}

TEST_F(CommandProcessorTest, ListingGoesOnAtItsCursor) {
  Established();
  size_t entries = 0;
  uint32_t cursor = 0;
  for (int pages = 0; pages < 10; ++pages) {
    Post(1, command::ListSockets{cursor, 1, true});
    const auto page = Expect<reply::Sockets>(1);
    for (const auto& entry : page.entries) {
      EXPECT_EQ(entry.info.has_value(), !entry.summary.is_listener);
    }
    entries += page.entries.size();
    cursor = page.next_cursor;
    if (cursor == 0) break;
  }
  EXPECT_EQ(entries, 3u);
}

TEST_F(CommandProcessorTest, StatsTellOfLoopAndLink) {
  Established();
  Advance(Duration::Seconds(3));
  Post(1, command::GetStats{});
  const auto stats = Expect<reply::Stats>(1);
  EXPECT_EQ(stats.uptime, Duration::Seconds(3));
  EXPECT_EQ(stats.turns, 7u);
  EXPECT_GT(stats.link.packets_out, 0u);
  EXPECT_EQ(stats.stack.tcp_curr_estab, 2u);
}

TEST_F(CommandProcessorTest, InfoAndSettingsReachTheConnection) {
  const auto [client, server] = Established();
  Post(1, command::GetInfo{client});
  EXPECT_EQ(Expect<reply::Info>(1).info.state, tcp::TcpState::kEstablished);
  Post(2, command::SetSettings{client, {.no_delay = true}});
  Expect<reply::Done>(2);
  Post(3, command::GetInfo{SocketId{9999, 1}});
  EXPECT_EQ(Code(3), absl::StatusCode::kNotFound);
}

// The id of a dial's socket is no secret: ListSockets shows it.
TEST_F(CommandProcessorTest, NothingWaitsOnASocketThatIsNotOpenYet) {
  PostOnly(7, Dial("127.0.0.1:81"));
  const SocketId dialing = OnlySocket();
  PostOnly(9, command::TcpRecv{dialing});
  PostOnly(10, command::TcpSend{dialing, Bytes(1)});
  PostOnly(11, command::TcpCloseWrite{dialing});
  PostOnly(12, command::TcpAccept{dialing});
  for (uint64_t cookie = 9; cookie <= 12; ++cookie) {
    EXPECT_EQ(Code(cookie), absl::StatusCode::kFailedPrecondition) << cookie;
  }
  Pump();
  EXPECT_EQ(Code(7), absl::StatusCode::kUnavailable);
}

TEST_F(CommandProcessorTest, DialsThatAreGivenUpLeaveNothingBehind) {
  for (uint64_t i = 0; i < 20; ++i) {  // more than may wait at once
    PostOnly(100 + i, Dial("10.9.0.9:80", Duration::Milliseconds(300)));
    PostOnly(200 + i, command::TcpRecv{OnlySocket()});
    Advance(Duration::Milliseconds(300));
    EXPECT_EQ(Code(100 + i), absl::StatusCode::kDeadlineExceeded);
    EXPECT_EQ(Code(200 + i), absl::StatusCode::kFailedPrecondition);
  }
}

}  // namespace
}  // namespace tcpip
