#include "tcpip/stack/stack.h"

#include <algorithm>
#include <vector>

#include "gtest/gtest.h"
#include "tcpip/base/rng.h"
#include "tcpip/stack/stack_fixture.h"

// Two stacks, one wire, virtual time.
namespace tcpip {
namespace {

InterfaceConfig Plain() { return {.name = "plain"}; }
InterfaceConfig Offloading() {
  return {.name = "offloading", .link = {.tx = kAllOffloads}};
}

Bytes Random(uint64_t seed, size_t size) {
  SeededRng rng(seed);
  Bytes bytes(size);
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(rng.Next() >> 32);
  return bytes;
}

struct Variant {
  const char* name;
  const char* server;
  InterfaceConfig (*interface)();
};

const Variant kVariants[] = {
    {"Ipv4Plain", "10.0.0.2", Plain},
    {"Ipv6Plain", "2001:db8::2", Plain},
    {"Ipv4Offloading", "10.0.0.2", Offloading},
    {"Ipv6Offloading", "2001:db8::2", Offloading},
};

class Transfer : public testing::TestWithParam<Variant> {
 protected:
  Transfer()
      : pair_(GetParam().interface()), remote_{Ip(GetParam().server), 80} {
    listener_ = pair_.b().stack().TcpListen({.local = remote_}).value();
  }

  // Writes as much of `data` from `offset` on as there is room for.
  void Write(Host& host, SocketId id, const Bytes& data, size_t& offset) {
    const auto sent = host.stack().TcpSendCopy(
        id, ByteSpan(data).subspan(offset), pair_.now());
    ASSERT_TRUE(sent.ok()) << sent.status();
    offset += *sent;
  }

  void ReadAll(Host& host, SocketId id, Bytes& to) {
    while (true) {
      auto data = host.stack().TcpRecv(id, 100'000, pair_.now());
      ASSERT_TRUE(data.ok()) << data.status();
      if (data->empty()) return;
      const Bytes bytes = Flatten(*data);
      to.insert(to.end(), bytes.begin(), bytes.end());
    }
  }

  bool IsEof(Host& host, SocketId id) {
    const auto readiness = host.stack().GetReadiness(id);
    return readiness.ok() && readiness->read_closed;
  }

  // After both users are gone: everything has ended by itself.
  void ExpectClean() {
    pair_.RunFor(Duration::Seconds(200));
    for (Host* host : {&pair_.a(), &pair_.b()}) {
      const StackStats stats = host->stack().Stats();
      EXPECT_EQ(stats.tcp_curr_estab, 0u);
      EXPECT_EQ(stats.tcp_time_wait, 0u);
      EXPECT_EQ(stats.sockets, host == &pair_.b() ? 1u : 0u);  // the listener
    }
    EXPECT_EQ(pair_.a().pool().stats().live, 0u);
    EXPECT_EQ(pair_.b().pool().stats().live, 0u);
  }

  StackPair pair_;
  IpEndpoint remote_;
  SocketId listener_;
};

INSTANTIATE_TEST_SUITE_P(Paths, Transfer, testing::ValuesIn(kVariants),
                         [](const auto& i) { return i.param.name; });

TEST_P(Transfer, EchoesAndCloses) {
  const StackPair::Ends ends = pair_.Connect(listener_, remote_);
  const SocketId client = ends.client;
  const SocketId server = ends.server;
  Stack& a = pair_.a().stack();
  Stack& b = pair_.b().stack();
  EXPECT_EQ(a.GetTuple(client)->remote, b.GetTuple(server)->local);
  EXPECT_EQ(a.GetTuple(client)->local, b.GetTuple(server)->remote);
  EXPECT_EQ(a.Stats().tcp_curr_estab, 1u);

  size_t offset = 0;
  const Bytes question = ToBytes("how are you?");
  Write(pair_.a(), client, question, offset);
  Bytes heard;
  ASSERT_TRUE(pair_.RunUntil([&] {
    ReadAll(pair_.b(), server, heard);
    return heard.size() == question.size();
  }));
  EXPECT_EQ(heard, question);
  offset = 0;
  Write(pair_.b(), server, heard, offset);
  Bytes back;
  ASSERT_TRUE(pair_.RunUntil([&] {
    ReadAll(pair_.a(), client, back);
    return back.size() == question.size();
  }));
  EXPECT_EQ(back, question);

  ASSERT_TRUE(a.Close(client, pair_.now()).ok());
  EXPECT_EQ(a.GetTuple(client).status().code(), absl::StatusCode::kNotFound);
  ASSERT_TRUE(pair_.RunUntil([&] { return IsEof(pair_.b(), server); }));
  ASSERT_TRUE(b.Close(server, pair_.now()).ok());
  pair_.RunFor(Duration::Seconds(1));
  EXPECT_EQ(a.Stats().tcp_time_wait, 1u);
  EXPECT_EQ(b.Stats().tcp_time_wait, 0u);
  ExpectClean();
}

// [fault O02] at the maximum the oldest TIME-WAIT goes, and is counted
TEST_P(Transfer, ATimeWaitThatHadToGoIsCounted) {
  StackConfig config;
  config.tcp.max_time_wait = 1;
  StackPair pair(GetParam().interface(), config);
  Stack& a = pair.a().stack();
  Stack& b = pair.b().stack();
  const SocketId listener = b.TcpListen({.local = remote_}).value();
  for (uint64_t overflows : {0, 1}) {
    const StackPair::Ends ends = pair.Connect(listener, remote_);
    ASSERT_TRUE(a.Close(ends.client, pair.now()).ok());
    pair.RunFor(Duration::Milliseconds(50));
    ASSERT_TRUE(b.Close(ends.server, pair.now()).ok());
    pair.RunFor(Duration::Milliseconds(50));
    EXPECT_EQ(a.Stats().tcp_time_wait, 1u);
    EXPECT_EQ(a.Stats().tcp_time_wait_overflows, overflows);
  }
}

// Half close: the other direction goes on. [fault F09]
TEST_P(Transfer, MovesBulkBothWaysAcrossAHalfClose) {
  const StackPair::Ends ends = pair_.Connect(listener_, remote_);
  const SocketId client = ends.client;
  const SocketId server = ends.server;
  const Bytes up = Random(1, 3'000'000);
  const Bytes down = Random(2, 2'000'000);
  size_t up_sent = 0;
  size_t down_sent = 0;
  Bytes up_heard;
  Bytes down_heard;
  ASSERT_TRUE(pair_.RunUntil([&] {
    if (up_sent < up.size()) {
      Write(pair_.a(), client, up, up_sent);
      if (up_sent == up.size()) {
        EXPECT_TRUE(pair_.a().stack().TcpCloseWrite(client, pair_.now()).ok());
      }
    }
    ReadAll(pair_.b(), server, up_heard);
    return IsEof(pair_.b(), server) && up_heard.size() == up.size();
  }));
  EXPECT_TRUE(up_heard == up);
  EXPECT_EQ(pair_.a()
                .stack()
                .TcpSendCopy(client, ToBytes("x"), pair_.now())
                .status()
                .code(),
            absl::StatusCode::kFailedPrecondition);

  ASSERT_TRUE(pair_.RunUntil([&] {
    if (down_sent < down.size()) Write(pair_.b(), server, down, down_sent);
    ReadAll(pair_.a(), client, down_heard);
    return down_heard.size() == down.size();
  }));
  EXPECT_TRUE(down_heard == down);
  EXPECT_EQ(pair_.a().stack().Stats().tcp_retrans_segs, 0u);
  EXPECT_EQ(pair_.b().stack().Stats().tcp_retrans_segs, 0u);
  EXPECT_TRUE(pair_.b().stack().Close(server, pair_.now()).ok());
  EXPECT_TRUE(pair_.a().stack().Close(client, pair_.now()).ok());
  ExpectClean();
}

TEST_P(Transfer, SurvivesLoss) {
  SeededRng rng(5);
  pair_.set_filter([&rng](const Packet&) { return rng.Below(100) != 0; });
  const StackPair::Ends ends = pair_.Connect(listener_, remote_);
  const SocketId client = ends.client;
  const SocketId server = ends.server;
  const Bytes up = Random(3, 1'000'000);
  size_t sent = 0;
  Bytes heard;
  ASSERT_TRUE(pair_.RunUntil([&] {
    if (sent < up.size()) {
      Write(pair_.a(), client, up, sent);
      if (sent == up.size()) {
        EXPECT_TRUE(pair_.a().stack().Close(client, pair_.now()).ok());
      }
    }
    ReadAll(pair_.b(), server, heard);
    return IsEof(pair_.b(), server) && heard.size() == up.size();
  }));
  EXPECT_TRUE(heard == up);
  EXPECT_TRUE(pair_.b().stack().Close(server, pair_.now()).ok());
  ExpectClean();
}

// [RFC 2525 2.17] and a reset is an error of its own
TEST_P(Transfer, AbortResetsTheOtherSide) {
  const StackPair::Ends ends = pair_.Connect(listener_, remote_);
  const SocketId client = ends.client;
  const SocketId server = ends.server;
  ASSERT_TRUE(pair_.a().stack().Abort(client, pair_.now()).ok());
  ASSERT_TRUE(pair_.RunUntil(
      [&] { return pair_.b().stack().GetReadiness(server)->closed; }));
  EXPECT_EQ(*pair_.b().stack().TcpGetError(server), tcp::TcpError::kReset);
  EXPECT_EQ(pair_.b().stack().Stats().tcp_estab_resets, 1u);
  EXPECT_EQ(pair_.a().stack().Stats().tcp_out_rsts, 1u);
  EXPECT_TRUE(pair_.b().stack().Close(server, pair_.now()).ok());
  ExpectClean();
}

TEST_P(Transfer, RefusedConnectionsSaySo) {
  const IpEndpoint closed = {remote_.address, 81};
  const SocketId id =
      pair_.a().stack().TcpConnect({.remote = closed}, pair_.now()).value();
  ASSERT_TRUE(pair_.RunUntil(
      [&] { return pair_.a().stack().GetReadiness(id)->closed; }));
  EXPECT_EQ(*pair_.a().stack().TcpGetError(id), tcp::TcpError::kRefused);
  EXPECT_FALSE(pair_.a().stack().GetReadiness(id)->connected);
  EXPECT_EQ(pair_.a().stack().Stats().tcp_attempt_fails, 1u);
  EXPECT_EQ(pair_.b().stack().Stats().Dropped(DropReason::kTcpNoSocket), 1u);
  EXPECT_TRUE(pair_.a().stack().Close(id, pair_.now()).ok());
  ExpectClean();
}

TEST_P(Transfer, UnansweredConnectionsTimeOut) {
  pair_.set_filter([](const Packet&) { return false; });
  const SocketId id =
      pair_.a().stack().TcpConnect({.remote = remote_}, pair_.now()).value();
  const Instant start = pair_.now();
  ASSERT_TRUE(pair_.RunUntil(
      [&] { return pair_.a().stack().GetReadiness(id)->closed; }));
  EXPECT_EQ(*pair_.a().stack().TcpGetError(id), tcp::TcpError::kTimedOut);
  EXPECT_EQ(pair_.now() - start, Duration::Seconds(127));
  EXPECT_EQ(pair_.a().stack().Stats().tcp_retrans_segs, 6u);
  EXPECT_TRUE(pair_.a().stack().Close(id, pair_.now()).ok());
  ExpectClean();
}

// [RFC 9293 3.10.4.2] what nobody will accept is reset
TEST_P(Transfer, ClosingAListenerResetsWhatWaits) {
  const SocketId id =
      pair_.a().stack().TcpConnect({.remote = remote_}, pair_.now()).value();
  pair_.RunFor(Duration::Milliseconds(100));
  EXPECT_EQ(pair_.b().stack().Stats().tcp_curr_estab, 1u);
  ASSERT_TRUE(pair_.b().stack().Close(listener_, pair_.now()).ok());
  pair_.RunFor(Duration::Milliseconds(100));
  EXPECT_EQ(*pair_.a().stack().TcpGetError(id), tcp::TcpError::kReset);
  EXPECT_EQ(pair_.b().stack().Stats().sockets, 0u);
  EXPECT_TRUE(pair_.a().stack().Close(id, pair_.now()).ok());
  pair_.RunFor(Duration::Seconds(1));
  EXPECT_EQ(pair_.a().stack().Stats().sockets, 0u);
}

TEST_P(Transfer, AConnectionThatDiesUnacceptedLeavesTheQueue) {
  const SocketId id =
      pair_.a().stack().TcpConnect({.remote = remote_}, pair_.now()).value();
  pair_.RunFor(Duration::Milliseconds(100));
  ASSERT_TRUE(pair_.a().stack().Abort(id, pair_.now()).ok());
  pair_.RunFor(Duration::Milliseconds(100));
  EXPECT_EQ(pair_.b().stack().TcpAccept(listener_).status().code(),
            absl::StatusCode::kUnavailable);
  ExpectClean();
}

// [fault C10] connections beyond the backlog are not established and lost
TEST_P(Transfer, BacklogHoldsTheRestBack) {
  Stack& a = pair_.a().stack();
  Stack& b = pair_.b().stack();
  const IpEndpoint small = {remote_.address, 82};
  const SocketId listener = b.TcpListen({.local = small, .backlog = 1}).value();
  std::vector<SocketId> clients;
  clients.reserve(4);
  for (int i = 0; i < 4; ++i) {
    clients.push_back(a.TcpConnect({.remote = small}, pair_.now()).value());
  }
  pair_.RunFor(Duration::Milliseconds(500));
  EXPECT_LT(b.Stats().tcp_curr_estab, 4u);
  size_t accepted = 0;
  std::vector<SocketId> servers;
  ASSERT_TRUE(pair_.RunUntil([&] {
    while (true) {
      const auto server = b.TcpAccept(listener);
      if (!server.ok()) break;
      servers.push_back(*server);
    }
    accepted = servers.size();
    return accepted == clients.size();
  }));
  EXPECT_EQ(a.Stats().tcp_estab_resets, 0u);
  for (const SocketId id : clients) EXPECT_TRUE(a.Close(id, pair_.now()).ok());
  for (const SocketId id : servers) EXPECT_TRUE(b.Close(id, pair_.now()).ok());
  EXPECT_TRUE(b.Close(listener, pair_.now()).ok());
  ExpectClean();
}

TEST_P(Transfer, EventsSayWhatHappenedOnce) {
  Stack& a = pair_.a().stack();
  Stack& b = pair_.b().stack();
  const SocketId client =
      a.TcpConnect({.remote = remote_}, pair_.now()).value();
  EXPECT_FALSE(a.NextReady());
  pair_.RunFor(Duration::Milliseconds(50));

  auto event = a.NextReady();
  ASSERT_TRUE(event);
  EXPECT_EQ(event->socket, client);
  EXPECT_TRUE(event->readiness.connected && event->readiness.writable);
  EXPECT_FALSE(event->readiness.readable);
  EXPECT_FALSE(a.NextReady());

  event = b.NextReady();
  ASSERT_TRUE(event);
  EXPECT_EQ(event->socket, listener_);
  EXPECT_TRUE(event->acceptable);
  EXPECT_FALSE(b.NextReady());  // nobody knows the connection yet
  const SocketId server = b.TcpAccept(listener_).value();
  event = b.NextReady();
  ASSERT_TRUE(event);
  EXPECT_EQ(event->socket, server);
  EXPECT_TRUE(event->readiness.connected && event->readiness.writable);

  // The next connection is news again.
  const SocketId second =
      a.TcpConnect({.remote = remote_}, pair_.now()).value();
  pair_.RunFor(Duration::Milliseconds(50));
  event = b.NextReady();
  ASSERT_TRUE(event);
  EXPECT_EQ(event->socket, listener_);
  EXPECT_TRUE(event->acceptable);
  EXPECT_TRUE(a.Abort(second, pair_.now()).ok());
  pair_.RunFor(Duration::Milliseconds(50));
  EXPECT_FALSE(a.NextReady());
  EXPECT_FALSE(b.NextReady());

  // Twice the same news with a read between them is news twice.
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(a.TcpSendCopy(client, ToBytes("x"), pair_.now()).ok());
    pair_.RunFor(Duration::Milliseconds(50));
    event = b.NextReady();
    ASSERT_TRUE(event);
    EXPECT_TRUE(event->readiness.readable);
    EXPECT_FALSE(b.NextReady());
    EXPECT_EQ(b.TcpRecv(server, 10, pair_.now())->size(), 1u);
  }
  EXPECT_FALSE(b.NextReady());
  EXPECT_TRUE(a.Abort(client, pair_.now()).ok());
  pair_.RunFor(Duration::Milliseconds(50));
  event = b.NextReady();
  ASSERT_TRUE(event);
  EXPECT_TRUE(event->readiness.closed);
  EXPECT_TRUE(b.Close(server, pair_.now()).ok());
  ExpectClean();
}

// Senders take turns: none waits for another's end.
TEST_P(Transfer, ConnectionsShareTheWayOut) {
  constexpr int kFlows = 4;
  const Bytes data = Random(4, 400'000);
  struct Flow {
    StackPair::Ends ends;
    size_t sent = 0;
    Bytes heard = {};
  };
  std::vector<Flow> flows;
  flows.reserve(kFlows);
  for (int i = 0; i < kFlows; ++i) {
    flows.push_back({pair_.Connect(listener_, remote_)});
  }
  size_t slowest_at_first_end = data.size();
  ASSERT_TRUE(pair_.RunUntil([&] {
    size_t least = data.size();
    size_t most = 0;
    for (Flow& flow : flows) {
      if (flow.sent < data.size()) {
        Write(pair_.a(), flow.ends.client, data, flow.sent);
      }
      ReadAll(pair_.b(), flow.ends.server, flow.heard);
      least = std::min(least, flow.heard.size());
      most = std::max(most, flow.heard.size());
    }
    if (most == data.size()) {
      slowest_at_first_end = std::min(slowest_at_first_end, least);
    }
    return least == data.size();
  }));
  EXPECT_GT(slowest_at_first_end, data.size() / 2);
  for (Flow& flow : flows) {
    EXPECT_TRUE(flow.heard == data);
    EXPECT_TRUE(pair_.a().stack().Close(flow.ends.client, pair_.now()).ok());
    EXPECT_TRUE(pair_.b().stack().Close(flow.ends.server, pair_.now()).ok());
  }
  ExpectClean();
}

// Same inputs, same outputs.
TEST_P(Transfer, IsTheSameEveryTime) {
  std::vector<Bytes> traces[2];
  for (std::vector<Bytes>& trace : traces) {
    StackPair pair(GetParam().interface());
    SeededRng rng(9);
    pair.set_filter([&trace, &rng](const Packet& packet) {
      trace.push_back(Flatten(packet));
      return rng.Below(20) != 0;
    });
    Stack& b = pair.b().stack();
    const SocketId listener = b.TcpListen({.local = remote_}).value();
    const auto ends = pair.Connect(listener, remote_);
    EXPECT_TRUE(pair.a()
                    .stack()
                    .TcpSendCopy(ends.client, Random(6, 100'000), pair.now())
                    .ok());
    pair.RunFor(Duration::Seconds(5));
  }
  EXPECT_GT(traces[0].size(), 10u);
  EXPECT_TRUE(traces[0] == traces[1]);
}

}  // namespace
}  // namespace tcpip
