#include "tcpip/shard/shard.h"

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "gtest/gtest.h"
#include "tcpip/base/bytes.h"
#include "tcpip/base/time.h"
#include "tcpip/buffer/packet.h"
#include "tcpip/link/link.h"
#include "tcpip/shard/command.h"
#include "tcpip/testing/waiting_client.h"
#include "tcpip/wire/address.h"

namespace tcpip {
namespace {

// One end of a wire between two shards: a socket that keeps packets apart, is
// often full and says so.
class SocketLink final : public Link {
 public:
  explicit SocketLink(int fd) : fd_(fd) {}
  ~SocketLink() override { close(fd_); }

  LinkCapabilities capabilities() const override { return {.mtu = 1500}; }
  size_t ReadBatch(SlabPool& pool, PacketBatch& to, size_t max,
                   Instant now) override {
    std::array<uint8_t, 2048> bytes;
    size_t count = 0;
    for (; count < max; ++count) {
      const ssize_t n = recv(fd_, bytes.data(), bytes.size(), MSG_DONTWAIT);
      if (n <= 0) break;
      to.push_back(Packet::Copy(pool, {bytes.data(), size_t(n)}));
      to.back().set_ingress(now);
    }
    return count;
  }
  size_t WriteBatch(std::span<Packet> packets) override {
    for (size_t i = 0; i < packets.size(); ++i) {
      std::array<uint8_t, 2048> bytes;
      const ByteSpan head = packets[i].head();
      std::memcpy(bytes.data(), head.data(), head.size());
      packets[i].body().CopyTo(MutableByteSpan(bytes).subspan(head.size()));
      if (send(fd_, bytes.data(), packets[i].size(),
               MSG_DONTWAIT | MSG_NOSIGNAL) < 0) {
        if (errno == EAGAIN) return i;
      }
      ++counters_.packets_out;
    }
    return packets.size();
  }
  int poll_fd() const override { return fd_; }
  LinkCounters counters() const override { return counters_; }

 private:
  int fd_;
  LinkCounters counters_;
};

ShardConfig Config() {
  ShardConfig config;
  config.interface.name = "wire";
  return config;
}

std::array<int, 2> Wire() {
  std::array<int, 2> ends = {-1, -1};
  EXPECT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()),
            0);
  for (int fd : ends) {
    const int bytes = 16 * 1024;  // a handful of packets
    setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
  }
  return ends;
}

class ShardTest : public testing::Test {
 protected:
  std::array<int, 2> wire_ = Wire();
  Shard left_{Config(), std::make_unique<SocketLink>(wire_[0]), nullptr};
  Shard right_{Config(), std::make_unique<SocketLink>(wire_[1]), nullptr};
  WaitingClient a_{left_}, b_{right_};

  void SetUp() override {
    a_.Call<reply::Done>(
        command::AddAddress{"wire", *Cidr::Parse("10.1.0.1/24")});
    b_.Call<reply::Done>(
        command::AddAddress{"wire", *Cidr::Parse("10.1.0.2/24")});
    a_.Call<reply::Done>(
        command::AddAddress{"wire", *Cidr::Parse("2001:db8::2/64")});
  }

  static StackStats StatsOf(WaitingClient& client) {
    return client.Call<reply::Stats>(command::GetStats{}).stack;
  }

  struct Pair {
    SocketId a, b, listener;
  };
  Pair Connect() {
    const SocketId listener =
        b_.Call<reply::Opened>(ListenOn("10.1.0.2:80")).socket;
    const SocketId a = a_.Call<reply::Opened>(Dial("10.1.0.2:80")).socket;
    const SocketId b =
        b_.Call<reply::Opened>(command::TcpAccept{listener}).socket;
    return {a, b, listener};
  }
};

// [fault P09] the wire holds a few packets: what does not fit waits, nothing
// is dropped and nothing is sent twice.
TEST_F(ShardTest, BulkOverAFullWireLosesNothing) {
  const auto [a, b, listener] = Connect();
  constexpr size_t kSize = 8 << 20;
  OwnedBytes bytes = OwnedBytes::Allocate(kSize);
  for (size_t i = 0; i < kSize; ++i) {
    bytes.mutable_data()[i] = static_cast<uint8_t>(i % 251);
  }
  const uint64_t sent = a_.Post(command::TcpSend{a, std::move(bytes)});
  size_t got = 0;
  while (got < kSize) {
    const auto received = b_.Call<reply::Received>(command::TcpRecv{b});
    ASSERT_GT(received.data.size(), 0u);
    for (uint8_t byte : received.data.span()) ASSERT_EQ(byte, got++ % 251);
  }
  EXPECT_TRUE(a_.Wait(sent).status.ok());
  // On a real clock a retransmission proves nothing; a lost segment never
  // gets there.
  const uint64_t segments = StatsOf(a_).tcp_out_segs;
  for (int asks = 0; asks < 1'000'000; ++asks) {
    if (StatsOf(b_).tcp_in_segs >= segments) break;
  }
  EXPECT_EQ(StatsOf(b_).tcp_in_segs, segments);
}

TEST_F(ShardTest, CommandsReachTheLoopback) {
  a_.Call<reply::Opened>(ListenOn("127.0.0.1:80"));
  const auto opened = a_.Call<reply::Opened>(Dial("127.0.0.1:80"));
  EXPECT_EQ(opened.tuple.remote.port, 80);
}

TEST_F(ShardTest, OurOwnAddressIsReachedWithoutTheLink) {
  for (const char* own : {"10.1.0.1:80", "[2001:db8::2]:80"}) {
    const SocketId listener = a_.Call<reply::Opened>(ListenOn(own)).socket;
    const auto opened = a_.Call<reply::Opened>(Dial(own));
    EXPECT_EQ(opened.tuple.local.address, opened.tuple.remote.address);
    const auto accepted =
        a_.Call<reply::Opened>(command::TcpAccept{listener}).socket;
    a_.Call<reply::Done>(
        command::TcpSend{opened.socket, OwnedBytes::Allocate(100'000)});
    size_t received = 0;
    while (received < 100'000) {
      received +=
          a_.Call<reply::Received>(command::TcpRecv{accepted}).data.size();
    }
    a_.Call<reply::PingReply>(command::Ping{.remote = EndpointOf(own).address,
                                            .timeout = Duration::Seconds(30)});
  }
  EXPECT_EQ(a_.Call<reply::Stats>(command::GetStats{}).link.packets_out, 0u);
}

TEST_F(ShardTest, TimersFireWithoutTraffic) {
  const Reply reply = a_.Wait(a_.Post(command::Ping{
      *IpAddress::Parse("10.1.0.77"), 1, 56, Duration::Milliseconds(20)}));
  EXPECT_EQ(reply.status.code(), absl::StatusCode::kDeadlineExceeded);
}

TEST_F(ShardTest, StopAnswersWhatIsPendingAndResetsThePeer) {
  const auto [a, b, listener] = Connect();
  const uint64_t pending = a_.Post(command::TcpRecv{a});
  const uint64_t peer = b_.Post(command::TcpRecv{b});
  // The stopped shard has executed what was posted before.
  a_.Call<reply::Stats>(command::GetStats{});
  left_.Stop();
  EXPECT_EQ(a_.Wait(pending).status.code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(b_.Wait(peer).status.code(), absl::StatusCode::kAborted);
}

TEST_F(ShardTest, AfterStopPostIsUnavailable) {
  left_.Stop();
  left_.Stop();
  Command command;
  command.body = command::GetStats{};
  EXPECT_EQ(left_.Post(std::move(command)).code(),
            absl::StatusCode::kUnavailable);
}

// Lives in the shard: echoes nothing, but sees its sockets and only those.
class CountingApp final : public ShardApp {
 public:
  void OnStart(Stack& stack, Instant) override {
    listener = *stack.TcpListen(ListenOn("127.0.0.1:7").options);
  }
  void OnReady(Stack& stack, const ReadyEvent& event, Instant) override {
    if (event.socket == listener && event.acceptable) {
      accepted = *stack.TcpAccept(listener);
    } else if (event.socket != accepted) {
      ++strangers;
    }
  }
  SocketId listener, accepted;
  int strangers = 0;
};

TEST(ShardWithApp, AppHearsOfItsOwnSocketsOnly) {
  CountingApp app;
  const std::array<int, 2> wire = Wire();
  {
    Shard shard(Config(), std::make_unique<SocketLink>(wire[0]), &app);
    WaitingClient client(shard);
    const auto opened = client.Call<reply::Opened>(Dial("127.0.0.1:7"));
    client.Call<reply::Done>(command::Close{opened.socket});
  }
  close(wire[1]);
  EXPECT_TRUE(app.accepted.IsValid());
  EXPECT_EQ(app.strangers, 0);
}

TEST(ShardMailbox, FullMailboxIsAnAnswer) {
  ShardConfig config = Config();
  config.max_queued_commands = 0;
  const std::array<int, 2> wire = Wire();
  Shard shard(config, std::make_unique<SocketLink>(wire[0]), nullptr);
  Command command;
  command.body = command::GetStats{};
  EXPECT_EQ(shard.Post(std::move(command)).code(),
            absl::StatusCode::kResourceExhausted);
  close(wire[1]);
}

TEST(ShardMailbox, WhatGivesUpASocketIsTakenByAFullOne) {
  ShardConfig config = Config();
  config.max_queued_commands = 0;
  const std::array<int, 2> wire = Wire();
  Shard shard(config, std::make_unique<SocketLink>(wire[0]), nullptr);
  WaitingClient client(shard);
  const uint64_t posted[] = {client.Post(command::Close{}),
                             client.Post(command::Abort{}),
                             client.Post(command::Cancel{})};
  for (uint64_t cookie : posted) {
    EXPECT_EQ(client.Wait(cookie).status.code(), absl::StatusCode::kNotFound);
  }
  close(wire[1]);
}

// [fault P07] what is idle wakes nobody: neither connections nor the loop
// itself
TEST_F(ShardTest, SleepsWhileTenThousandConnectionsAreIdle) {
  constexpr int kPairs = 5'000;
  const SocketId listener =
      a_.Call<reply::Opened>(ListenOn("127.0.0.1:80")).socket;
  for (int i = 0; i < kPairs; ++i) {
    command::TcpDial dial = Dial("127.0.0.1:80");
    dial.options.settings.keepalive = true;  // each has a timer armed
    a_.Call<reply::Opened>(dial);
    a_.Call<reply::Opened>(command::TcpAccept{listener});
  }
  const auto stats = [this] {
    return a_.Call<reply::Stats>(command::GetStats{});
  };
  const reply::Stats before = stats();
  EXPECT_EQ(before.stack.tcp_curr_estab, 2u * kPairs);
  // Nobody answers there.
  const Reply timed_out =
      a_.Ask(command::Ping{.remote = IpAddress::Ipv4(10, 1, 0, 77),
                           .timeout = Duration::Milliseconds(500)});
  EXPECT_EQ(timed_out.status.code(), absl::StatusCode::kDeadlineExceeded);
  const reply::Stats after = stats();
  const double seconds =
      static_cast<double>((after.uptime - before.uptime).nanoseconds()) / 1e9;
  EXPECT_GE(seconds, 0.5);
  EXPECT_LE(static_cast<double>(after.turns - before.turns), 50 * seconds);
}

}  // namespace
}  // namespace tcpip
