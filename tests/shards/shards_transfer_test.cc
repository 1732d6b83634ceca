// TCP between groups of shards, whatever queue its packets come in on.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "gtest/gtest.h"
#include "tcpip/testing/pattern.h"
#include "tests/shards/group_pair.h"

namespace tcpip {
namespace {

constexpr LinkCapabilities kPlain = {.mtu = 1500};
constexpr LinkCapabilities kOffload = {.mtu = 1500, .tx = kAllOffloads};

struct Way {
  std::string name;
  std::array<size_t, 2> queues;
  Queueing queueing;
  LinkCapabilities link;
};

class ShardsTransfer : public testing::TestWithParam<Way> {
 protected:
  static constexpr size_t kBytes = 100'000;  // each way of each connection

  struct Connection {
    std::array<SocketId, 2> ends;  // by host
    uint64_t seed;
  };

  // `count` connections from `host` to a listener of the other.
  void Open(size_t host, const IpEndpoint& to, int count) {
    const size_t other = 1 - host;
    const auto listener = pair_.client(other).Call<reply::Opened>(
        ListenOn({to.address, to.port}));
    for (int i = 0; i < count; ++i) {
      const auto near = pair_.client(host).Call<reply::Opened>(Dial(to));
      const auto far = pair_.client(other).Call<reply::Opened>(
          command::TcpAccept{listener.socket});
      EXPECT_EQ(near.tuple.local, far.tuple.remote);
      Connection connection = {.ends = {}, .seed = connections_.size()};
      connection.ends[host] = near.socket;
      connection.ends[other] = far.socket;
      connections_.push_back(connection);
    }
  }

  // Everything is sent at once, each way with a pattern of its own.
  void SendAll() {
    for (const Connection& c : connections_) {
      for (size_t host : {0, 1}) {
        OwnedBytes bytes = OwnedBytes::Allocate(kBytes);
        sim::Pattern(2 * c.seed + host)
            .Fill(0, {bytes.mutable_data(), bytes.size()});
        pair_.client(host).Post(
            command::TcpSend{c.ends[host], std::move(bytes)});
        pair_.client(host).Post(command::TcpCloseWrite{c.ends[host]});
      }
    }
  }

  void ReceiveAll(const Connection& c, size_t host) {
    const sim::Pattern pattern(2 * c.seed + 1 - host);
    uint64_t got = 0;
    bool eof = false;
    while (!eof) {
      const auto received = pair_.client(host).Call<reply::Received>(
          command::TcpRecv{c.ends[host]});
      const uint64_t end = got + received.data.size();
      ASSERT_EQ(pattern.Mismatch(got, received.data.span()), end);
      got = end;
      eof = received.eof;
    }
    EXPECT_EQ(got, kBytes);
  }

  GroupPair pair_{GetParam().queues, GetParam().queueing, GetParam().link};
  std::vector<Connection> connections_;
};

TEST_P(ShardsTransfer, ConnectionsBothWaysKeepTheirBytes) {
  Open(0, EndpointOf("10.1.0.2:80"), 2);
  Open(1, EndpointOf("10.1.0.1:80"), 2);
  Open(0, EndpointOf("[2001:db8::2]:80"), 2);
  Open(1, EndpointOf("[2001:db8::1]:80"), 2);
  SendAll();
  for (const Connection& c : connections_) {
    for (size_t host : {0, 1}) ReceiveAll(c, host);
  }
  for (size_t host : {0, 1}) {
    const StackStats stats = pair_.StatsOf(host);
    EXPECT_EQ(stats.Dropped(DropReason::kOwnerQueueFull), 0u);
    if (GetParam().queues[host] == 1) {
      EXPECT_EQ(stats.packets_handed_over, 0u);
    } else if (GetParam().queueing == Queueing::kLearned) {
      // The first packets of a flow only: SYN, or the SYN-ACK of a dial.
      EXPECT_LE(stats.packets_handed_over, 4 * connections_.size());
      // Elsewhere a segment may arrive after the end of its connection.
      EXPECT_EQ(stats.tcp_out_rsts, 0u);
    } else {
      EXPECT_GE(stats.packets_handed_over, connections_.size());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Ways, ShardsTransfer,
    testing::Values(Way{"Learned", {2, 2}, Queueing::kLearned, kPlain},
                    Way{"LearnedOffload", {2, 2}, Queueing::kLearned, kOffload},
                    Way{"Moving", {2, 2}, Queueing::kMoving, kPlain},
                    Way{"MovingOffload", {2, 2}, Queueing::kMoving, kOffload},
                    Way{"Random", {2, 2}, Queueing::kRandom, kPlain},
                    Way{"RandomOffload", {2, 2}, Queueing::kRandom, kOffload},
                    Way{"OneToThree", {1, 3}, Queueing::kMoving, kOffload}),
    [](const testing::TestParamInfo<Way>& info) { return info.param.name; });

// Many wait to accept and many come, on all shards at once: nobody is lost and
// nobody is given twice.
TEST(ShardsListener, EveryConnectionIsGivenToOneOfThoseWhoWait) {
  GroupPair pair({2, 2}, Queueing::kRandom, kPlain);
  const auto listener =
      pair.client(1).Call<reply::Opened>(ListenOn(EndpointOf("10.1.0.2:80")));
  constexpr size_t kConnections = 50;
  std::vector<uint64_t> accepts;
  std::vector<uint64_t> dials;
  for (size_t i = 0; i < kConnections; ++i) {
    accepts.push_back(pair.client(1).Post(command::TcpAccept{listener.socket}));
    dials.push_back(pair.client(0).Post(Dial(EndpointOf("10.1.0.2:80"))));
  }
  std::vector<IpEndpoint> dialled;
  for (const uint64_t cookie : dials) {
    const Reply reply = pair.client(0).Wait(cookie);
    ASSERT_TRUE(reply.status.ok()) << reply.status;
    dialled.push_back(std::get<reply::Opened>(reply.body).tuple.local);
  }
  std::vector<IpEndpoint> accepted;
  for (const uint64_t cookie : accepts) {
    const Reply reply = pair.client(1).Wait(cookie);
    ASSERT_TRUE(reply.status.ok()) << reply.status;
    accepted.push_back(std::get<reply::Opened>(reply.body).tuple.remote);
  }
  std::sort(dialled.begin(), dialled.end());
  std::sort(accepted.begin(), accepted.end());
  EXPECT_EQ(dialled, accepted);
}

}  // namespace
}  // namespace tcpip
