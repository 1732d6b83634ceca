// Two connections back to back over a pipe in virtual time.
#include "tcpip/transport/tcp/connection.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tcpip/base/rng.h"
#include "tcpip/transport/tcp/connection_fixture.h"
#include "tcpip/transport/tcp/listen.h"
#include "tcpip/transport/tcp/time_wait.h"

namespace tcpip::tcp {
namespace {

constexpr Duration kDelay = Duration::Milliseconds(10);

struct PipeOptions {
  TcpConfig config;
  SocketSettings settings;
  PathFacts path;
  SeqNum client_iss{1'000};
  SeqNum server_iss{2'000};
  // True to lose the n-th segment (from 0) in that direction.
  std::function<bool(bool to_server, int n)> lose = [](bool, int) {
    return false;
  };
};

// A client and a server behind a listener. Each side writes `outgoing` as room
// appears, reads at once and closes its half when all is written.
class Pipe {
 public:
  struct Side {
    std::unique_ptr<Connection> connection;
    std::optional<TimeWaitTable> time_wait;
    std::string outgoing;
    size_t written = 0;
    std::string received;
    int sent_segments = 0;
    SeqNum highest;  // end of the highest sequence number sent
    bool any_sent = false;
  };

  explicit Pipe(PipeOptions options)
      : options_(std::move(options)),
        listener_(TcpContext{&options_.config, &pool_}, options_.settings, 8) {
    client.connection = std::make_unique<Connection>(
        TcpContext{&options_.config, &pool_}, options_.path, options_.settings,
        InitialNumbers{options_.client_iss, 11});
  }
  ~Pipe() {  // everything that holds packet memory, before the pool
    client.connection.reset();
    server.connection.reset();
    in_flight_.clear();
  }

  // True when both sides are done within `limit`.
  bool Run(Duration limit) {
    const Instant until = now_ + limit;
    Step();
    while (!Done()) {
      const Instant next = NextEvent();
      if (next > until) return false;
      now_ = std::max(now_, next);
      Arrive();
      Expire();
      Step();
    }
    return true;
  }

  bool Done() const {
    return server.connection && client.connection->readiness().closed &&
           server.connection->readiness().closed;
  }
  Duration elapsed() const { return now_ - Instant(); }

  Side client;
  Side server;

 private:
  struct Flying {
    Instant at;
    bool to_server;
    Segment seg;
  };

  Instant NextEvent() const {
    Instant next =
        std::min(client.connection->NextDeadline(), listener_.NextDeadline());
    if (server.connection) {
      next = std::min(next, server.connection->NextDeadline());
    }
    return in_flight_.empty() ? next : std::min(next, in_flight_.front().at);
  }

  void Arrive() {
    while (!in_flight_.empty() && in_flight_.front().at <= now_) {
      Flying f = std::move(in_flight_.front());
      in_flight_.pop_front();
      f.seg.ingress = now_;
      Side& to = f.to_server ? server : client;
      if (!to.connection) {
        ToListener(std::move(f.seg));
      } else if (to.connection->state() == TcpState::kTimeWait) {
        ToTimeWait(to, f.seg);
      } else {
        to.connection->OnSegment(std::move(f.seg), now_);
      }
      Step();
    }
  }

  void ToListener(Segment seg) {
    ListenVerdict v =
        listener_.OnSegment(FourTuple(), std::move(seg), options_.path,
                            {options_.server_iss, 22}, now_);
    if (v.reply) Transmit(server, std::move(*v.reply));
    server.connection = std::move(v.established);
  }

  // As the stack would have it: the table answers for the connection.
  void ToTimeWait(Side& side, const Segment& seg) {
    if (!side.time_wait) {
      side.time_wait.emplace(options_.config);
      side.time_wait->Add(FourTuple(), side.connection->time_wait(), now_);
    }
    TimeWaitVerdict v = side.time_wait->OnSegment(FourTuple(), seg, now_);
    if (v.reply) Transmit(side, std::move(*v.reply));
  }

  void Expire() {
    client.connection->OnTimer(now_);
    if (server.connection) server.connection->OnTimer(now_);
    listener_.OnTimer(now_);
    while (auto out = listener_.PollSend(now_)) {
      Transmit(server, std::move(out->segment));
    }
  }

  void Step() {
    for (Side* side : {&client, &server}) {
      if (!side->connection) continue;
      Connection& c = *side->connection;
      side->received += PayloadOf(c.Recv(SIZE_MAX));
      if (side->written < side->outgoing.size()) {
        const std::string_view rest =
            std::string_view(side->outgoing).substr(side->written);
        side->written += c.SendCopy(BytesOf(rest));
      }
      if (side->written == side->outgoing.size()) c.CloseWrite();
      while (auto out = c.PollSend(now_)) Transmit(*side, std::move(*out));
      c.CheckInvariants();
    }
  }

  void Transmit(Side& side, OutSegment out) {
    const bool to_server = &side == &client;
    CheckEmission(side, out);
    if (options_.lose(to_server, side.sent_segments++)) return;
    Segment seg;
    seg.seq = out.seq;
    seg.ack = out.ack;
    seg.flags = out.flags;
    seg.wnd = out.wnd;
    seg.options = out.options;
    seg.payload = std::move(out.payload);
    seg.gso_size = out.gso_size;
    in_flight_.push_back({now_ + kDelay, to_server, std::move(seg)});
  }

  // [fault C04, C05]
  void CheckEmission(Side& side, const OutSegment& out) {
    if (out.flags.rst()) return;
    EXPECT_TRUE(out.flags.syn() || out.flags.ack());
    const auto len = static_cast<uint32_t>(out.payload.size()) +
                     out.flags.syn() + out.flags.fin();
    if (!side.any_sent) side.highest = out.seq;
    side.any_sent = true;
    // New sequence numbers follow on the highest without a gap.
    EXPECT_LE(out.seq, side.highest);
    side.highest = Max(side.highest, out.seq + len);
  }

  PipeOptions options_;
  SlabPool pool_;
  Instant now_;
  Listener listener_;
  std::deque<Flying> in_flight_;
};

std::string Bytes(size_t n, uint64_t seed) {
  SeededRng rng(seed);
  std::string text(n, '\0');
  for (char& c : text) c = static_cast<char>(rng.Next());
  return text;
}

void ExpectBothArrived(const Pipe& pipe) {
  EXPECT_TRUE(pipe.server.received == pipe.client.outgoing);
  EXPECT_TRUE(pipe.client.received == pipe.server.outgoing);
  for (const auto* side : {&pipe.client, &pipe.server}) {
    EXPECT_EQ(side->connection->error(), TcpError::kNone);
  }
}

// [fault X25] wherever the sequence numbers wrap
TEST(ConnectionPair, BulkBothWaysFromEveryCornerOfSequenceSpace) {
  constexpr uint32_t kCorners[] = {0, 1, 0x7fffffff, 0x80000000, 0xffffffff};
  for (const uint32_t client_iss : kCorners) {
    for (const uint32_t server_iss : kCorners) {
      SCOPED_TRACE(testing::Message() << client_iss << " " << server_iss);
      PipeOptions options;
      options.client_iss = SeqNum(client_iss);
      options.server_iss = SeqNum(server_iss);
      Pipe pipe(std::move(options));
      pipe.client.outgoing = Bytes(100'000, 1);
      pipe.server.outgoing = Bytes(100'000, 2);
      ASSERT_TRUE(pipe.Run(Duration::Seconds(10)));
      ExpectBothArrived(pipe);
    }
  }
}

TEST(ConnectionPair, SuperSegmentsCarryTheSameBytes) {
  PipeOptions options;
  options.path.max_gso_bytes = 65'000;
  Pipe pipe(std::move(options));
  pipe.client.outgoing = Bytes(3'000'000, 3);
  pipe.server.outgoing = Bytes(500'000, 4);
  ASSERT_TRUE(pipe.Run(Duration::Seconds(20)));
  ExpectBothArrived(pipe);
  // Far fewer segments than the 2,000 that 1,460 bytes each would make.
  EXPECT_LT(pipe.client.sent_segments, 1'000);
}

// Whichever segment is lost, once: handshake, data, ACK or FIN.
TEST(ConnectionPair, AnySingleLossIsRepaired) {
  for (const bool to_server : {true, false}) {
    for (int lost = 0; lost < 40; ++lost) {
      SCOPED_TRACE(testing::Message() << to_server << " " << lost);
      PipeOptions options;
      options.lose = [=](bool direction, int n) {
        return direction == to_server && n == lost;
      };
      Pipe pipe(std::move(options));
      pipe.client.outgoing = Bytes(20'000, 5);
      pipe.server.outgoing = Bytes(20'000, 6);
      ASSERT_TRUE(pipe.Run(Duration::Seconds(5)));
      ExpectBothArrived(pipe);
    }
  }
}

TEST(ConnectionPair, RandomLossIsRepaired) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    auto rng = std::make_shared<SeededRng>(seed);
    PipeOptions options;
    options.lose = [rng](bool, int) { return rng->Below(20) == 0; };
    Pipe pipe(std::move(options));
    pipe.client.outgoing = Bytes(200'000, seed);
    pipe.server.outgoing = Bytes(50'000, seed + 100);
    ASSERT_TRUE(pipe.Run(Duration::Seconds(120)));
    ExpectBothArrived(pipe);
  }
}

TEST(ConnectionPair, WorksWithoutAnyOption) {
  PipeOptions options;
  options.config.sack = false;
  options.config.timestamps = false;
  options.config.window_scaling = false;
  options.lose = [](bool, int n) { return n % 23 == 22; };
  Pipe pipe(std::move(options));
  pipe.client.outgoing = Bytes(200'000, 7);
  pipe.server.outgoing = Bytes(200'000, 8);
  ASSERT_TRUE(pipe.Run(Duration::Seconds(300)));
  ExpectBothArrived(pipe);
}

TEST(ConnectionPair, AnEmptyConversationEndsQuickly) {
  Pipe pipe{PipeOptions()};
  ASSERT_TRUE(pipe.Run(Duration::Seconds(1)));
  ExpectBothArrived(pipe);
}

TEST(ConnectionPair, SmallBuffersOnlySlowItDown) {
  PipeOptions options;
  options.settings.send_buffer_bytes = 3'000;
  options.settings.receive_buffer_bytes = 4'000;
  Pipe pipe(std::move(options));
  pipe.client.outgoing = Bytes(60'000, 9);
  pipe.server.outgoing = Bytes(60'000, 10);
  ASSERT_TRUE(pipe.Run(Duration::Seconds(60)));
  ExpectBothArrived(pipe);
}

}  // namespace
}  // namespace tcpip::tcp
