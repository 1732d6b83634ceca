#include "tcpip/shard/shard_group.h"

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "gtest/gtest.h"
#include "tcpip/link/link.h"
#include "tcpip/testing/idle_link.h"
#include "tcpip/testing/waiting_client.h"
#include "tcpip/wire/address.h"

namespace tcpip {
namespace {

constexpr uint32_t kShards = 3;
constexpr SipHashKey kKey = {11, 22};

// They keep nothing: a link outlives its shard, and with it the memory of
// packets.
std::vector<std::unique_ptr<Link>> Links(uint32_t count) {
  std::vector<std::unique_ptr<Link>> links;
  for (uint32_t i = 0; i < count; ++i) {
    links.push_back(std::make_unique<sim::IdleLink>());
  }
  return links;
}

ShardConfig Config() {
  ShardConfig config;
  config.interface.name = "idle";
  return config;
}

class ShardGroupTest : public testing::Test {
 protected:
  std::vector<reply::Sockets::Entry> AllSockets() {
    std::vector<reply::Sockets::Entry> all;
    uint32_t cursor = 0;
    do {
      auto page = client_.Call<reply::Sockets>(
          command::ListSockets{.cursor = cursor, .max = 2});
      for (auto& entry : page.entries) all.push_back(entry);
      cursor = page.next_cursor;
    } while (cursor != 0);
    return all;
  }

  ShardGroup group_{Config(), Links(kShards), {}, kKey};
  WaitingClient client_{group_};
  const Steering steering_{0, kShards, kKey};
};

TEST(ShardGroup, AGroupOfOneBehavesAsItsShard) {
  ShardGroup group(Config(), Links(1));
  WaitingClient client(group);
  const auto listener =
      client.Call<reply::Opened>(ListenOn(EndpointOf("127.0.0.1:0")));
  const auto a = client.Call<reply::Opened>(Dial(listener.tuple.local));
  const auto b =
      client.Call<reply::Opened>(command::TcpAccept{listener.socket});
  EXPECT_EQ(a.tuple.local, b.tuple.remote);
  EXPECT_EQ(a.socket.shard(), 0u);
  client.Call<reply::Stats>(command::GetStats{});
}

// What the links of one device have in common.
struct Device {
  std::atomic<uint32_t> asked = 0;  // queues that were to be opened again
  std::mutex mutex;
  std::vector<std::pair<LinkOffloads, LinkOffloads>> switched;
};

// One of kShards queues. Its device is gone at first, and back when every queue
// has missed it; then it refuses an offload.
class QueueOfLostDevice final : public sim::IdleLink {
 public:
  explicit QueueOfLostDevice(Device& device) : device_(device) {
    std::array<int, 2> ends;
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
    fd_ = ends[0];
    close(ends[1]);
  }
  ~QueueOfLostDevice() override { close(fd_); }

  LinkOffloads refused() const override { return {.tso4 = is_back_}; }
  int poll_fd() const override { return is_back_ ? -1 : fd_; }
  absl::Status Reopen() override {
    if (!std::exchange(asked_, true)) ++device_.asked;
    is_back_ = device_.asked == kShards;
    return is_back_ ? absl::OkStatus() : absl::NotFoundError("gone");
  }
  absl::Status SetOffloads(const LinkOffloads& rx,
                           const LinkOffloads& tx) override {
    std::lock_guard lock(device_.mutex);
    device_.switched.emplace_back(rx, tx);
    return absl::OkStatus();
  }

 private:
  Device& device_;
  int fd_;
  bool asked_ = false;
  bool is_back_ = false;
};

std::vector<std::unique_ptr<Link>> QueuesOf(Device& device) {
  std::vector<std::unique_ptr<Link>> links;
  for (uint32_t i = 0; i < kShards; ++i) {
    links.push_back(std::make_unique<QueueOfLostDevice>(device));
  }
  return links;
}

// Counts what is told of a device.
struct Tally final : DeviceObserver {
  void OnLinkLost() override { ++lost; }
  void OnLinkBack() override {
    if (++back == 1) is_back.set_value();
  }
  void OnOffloadsRefused(const LinkOffloads&) override { ++refused; }

  std::atomic<int> lost = 0;
  std::atomic<int> back = 0;
  std::atomic<int> refused = 0;
  std::promise<void> is_back;
};

// [fault L02]
TEST(ShardGroup, EveryShardsLinkIsToldOfOffloads) {
  Device device;
  ShardGroup group(Config(), QueuesOf(device));
  const LinkOffloads rx = {.checksum = true, .tso4 = true};
  const LinkOffloads tx = {.checksum = true};
  WaitingClient(group).Call<reply::Done>(command::SetOffloads{rx, tx});
  EXPECT_EQ(
      device.switched,
      (std::vector<std::pair<LinkOffloads, LinkOffloads>>(kShards, {rx, tx})));
}

// [fault L12] [fault L01]
TEST(ShardGroup, WhatHappensToADeviceIsToldOnce) {
  Device device;
  Tally tally;
  ShardGroup group(Config(), QueuesOf(device), {}, &tally);
  tally.is_back.get_future().wait();
  WaitingClient(group).Call<reply::Stats>(command::GetStats{});
  group.Stop();
  EXPECT_EQ(tally.lost, 1);
  EXPECT_EQ(tally.back, 1);
  EXPECT_EQ(tally.refused, 1);
}

// Refuses what is written to it until offloads are switched.
class FussyQueue final : public sim::IdleLink {
 public:
  LinkOffloads refused() const override { return refused_; }
  size_t WriteBatch(std::span<Packet> packets) override {
    if (!packets.empty()) refused_.tso4 = true;
    return packets.size();
  }
  absl::Status SetOffloads(const LinkOffloads&, const LinkOffloads&) override {
    refused_ = {};
    return absl::OkStatus();
  }

 private:
  LinkOffloads refused_;
};

// [fault L01]
TEST(ShardGroup, ARefusalIsToldOnceAndAgainAfterASwitch) {
  Tally tally;
  std::vector<std::unique_ptr<Link>> links;
  for (uint32_t i = 0; i < kShards; ++i) {
    links.push_back(std::make_unique<FussyQueue>());
  }
  ShardGroup group(Config(), std::move(links), {}, &tally);
  WaitingClient client(group);
  client.Call<reply::Done>(
      command::AddAddress{"idle", *Cidr::Parse("10.0.0.2/24")});
  for (int times = 1; times <= 3; ++times) {
    for (uint32_t i = 0; i < kShards; ++i) {  // one of each shard
      client.Ask(command::Ping{.remote = *IpAddress::Parse("10.0.0.77"),
                               .timeout = Duration::Milliseconds(1)});
    }
    client.Call<reply::Stats>(command::GetStats{});  // a turn of each shard
    EXPECT_EQ(tally.refused, times);
    client.Call<reply::Done>(command::SetOffloads{});
  }
}

TEST_F(ShardGroupTest, EveryConnectionIsAcceptedOnceWhereverItIs) {
  const auto listener =
      client_.Call<reply::Opened>(ListenOn(EndpointOf("127.0.0.1:0")));
  EXPECT_NE(listener.tuple.local.port, 0);
  std::set<IpEndpoint> dialled;
  std::set<uint32_t> shards;
  constexpr int kConnections = 30;
  for (int i = 0; i < kConnections; ++i) {
    const auto opened = client_.Call<reply::Opened>(Dial(listener.tuple.local));
    EXPECT_EQ(steering_.OwnerOfTcp(opened.tuple), opened.socket.shard());
    shards.insert(opened.socket.shard());
    EXPECT_TRUE(dialled.insert(opened.tuple.local).second);
  }
  EXPECT_EQ(shards.size(), kShards);
  for (int i = 0; i < kConnections; ++i) {
    const auto accepted =
        client_.Call<reply::Opened>(command::TcpAccept{listener.socket});
    EXPECT_EQ(dialled.erase(accepted.tuple.remote), 1u);
  }
}

TEST_F(ShardGroupTest, ClosingAListenerClosesItEverywhere) {
  const auto listener =
      client_.Call<reply::Opened>(ListenOn(EndpointOf("127.0.0.1:80")));
  const uint64_t waiting = client_.Post(command::TcpAccept{listener.socket});
  client_.Call<reply::Done>(command::Close{listener.socket});
  EXPECT_EQ(client_.Wait(waiting).status.code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(client_.Ask(command::TcpAccept{listener.socket}).status.code(),
            absl::StatusCode::kNotFound);
  for (uint32_t i = 0; i < 2 * kShards; ++i) {
    EXPECT_EQ(client_.Ask(Dial(listener.tuple.local)).status.code(),
              absl::StatusCode::kUnavailable);
  }
  // The port is free again in all shards.
  client_.Call<reply::Opened>(ListenOn(EndpointOf("127.0.0.1:80")));
}

TEST_F(ShardGroupTest, AListenersAddressIsTakenOnce) {
  client_.Call<reply::Opened>(ListenOn(EndpointOf("127.0.0.1:80")));
  EXPECT_EQ(client_.Ask(ListenOn(EndpointOf("127.0.0.1:80"))).status.code(),
            absl::StatusCode::kAlreadyExists);
  EXPECT_EQ(AllSockets().size(), kShards);
}

TEST_F(ShardGroupTest, ADialFromAGivenPortIsItsOwners) {
  const auto listener =
      client_.Call<reply::Opened>(ListenOn(EndpointOf("127.0.0.1:80")));
  std::set<uint32_t> shards;
  for (uint16_t port = 5000; port < 5020; ++port) {
    command::TcpDial dial = Dial(listener.tuple.local);
    // The address is for the routes to say.
    dial.options.local = IpEndpoint{EndpointOf("0.0.0.0:0").address, port};
    const auto opened = client_.Call<reply::Opened>(dial);
    EXPECT_EQ(opened.tuple.local.port, port);
    EXPECT_EQ(steering_.OwnerOfTcp(opened.tuple), opened.socket.shard());
    shards.insert(opened.socket.shard());
    EXPECT_EQ(client_.Ask(dial).status.code(),
              absl::StatusCode::kAlreadyExists);
  }
  EXPECT_EQ(shards.size(), kShards);
}

TEST_F(ShardGroupTest, UdpPortsAreTheirOwnersAndReachEachOther) {
  const auto given =
      client_.Call<reply::Opened>(UdpOn(EndpointOf("127.0.0.1:5353")));
  EXPECT_EQ(given.socket.shard(), steering_.OwnerOfPort(5353));
  EXPECT_EQ(client_.Ask(UdpOn(EndpointOf("127.0.0.1:5353"))).status.code(),
            absl::StatusCode::kAlreadyExists);
  for (uint32_t i = 0; i < kShards; ++i) {
    const auto any =
        client_.Call<reply::Opened>(UdpOn(EndpointOf("0.0.0.0:0")));
    EXPECT_EQ(any.socket.shard(), steering_.OwnerOfPort(any.tuple.local.port));
    command::UdpSend send{.socket = any.socket,
                          .to = given.tuple.local,
                          .payload = OwnedBytes::Allocate(100)};
    client_.Call<reply::Done>(std::move(send));
    const auto got =
        client_.Call<reply::DatagramReceived>(command::UdpRecv{given.socket});
    EXPECT_EQ(got.source.port, any.tuple.local.port);
    EXPECT_EQ(got.payload.size(), 100u);
  }
}

// Whichever shard has the socket; its id says so.
TEST_F(ShardGroupTest, CommandsOfUdpSocketsReachTheirShard) {
  const auto server = client_.Call<reply::Opened>(UdpOn("127.0.0.1:5353"));
  std::set<uint32_t> shards;
  for (uint32_t i = 0; i < kShards; ++i) {
    const auto socket = client_.Call<reply::Opened>(UdpOn("127.0.0.1:0"));
    shards.insert(socket.socket.shard());
    client_.Call<reply::Done>(
        command::UdpConnect{socket.socket, server.tuple.local});
    client_.Call<reply::Done>(
        command::UdpSetSettings{socket.socket, {.ttl = 9}});
    EXPECT_GE(client_
                  .Call<reply::PathMtu>(
                      command::UdpGetPathMtu{socket.socket, std::nullopt})
                  .bytes,
              1280u);
    client_.Call<reply::Done>(command::UdpSend{socket.socket, std::nullopt,
                                               OwnedBytes::Allocate(100)});
    const auto got = client_.Call<reply::DatagramReceived>(
        command::UdpRecv{server.socket, {.max_bytes = 10}});
    EXPECT_EQ(got.payload.size(), 10u);
    EXPECT_EQ(got.size, 100u);
    EXPECT_EQ(got.ttl, 9);
  }
  EXPECT_EQ(shards.size(), kShards);
}

// What a shard cannot hand over is lost and counted, as on any queue that is
// full; what fits goes on arriving.
TEST(ShardGroup, AFullBoxBetweenShardsDropsAndCounts) {
  ShardConfig config = Config();
  config.handed_over_bytes = 500;
  ShardGroup group(config, Links(2), {}, kKey);
  WaitingClient client(group);
  // Ports that follow each other belong to this shard or that.
  const auto from = client.Call<reply::Opened>(UdpOn("127.0.0.1:5000"));
  uint16_t port = 5001;
  const Steering steering(0, 2, kKey);
  while (steering.OwnerOfPort(port) == steering.OwnerOfPort(5000)) ++port;
  const IpEndpoint other = {from.tuple.local.address, port};
  const auto to = client.Call<reply::Opened>(UdpOn(other));
  ASSERT_NE(from.socket.shard(), to.socket.shard());
  const auto send = [&](size_t size) {
    client.Call<reply::Done>(
        command::UdpSend{.socket = from.socket,
                         .to = other,
                         .payload = OwnedBytes::Allocate(size)});
  };
  for (int i = 0; i < 3; ++i) send(1000);
  send(10);
  EXPECT_EQ(client.Call<reply::DatagramReceived>(command::UdpRecv{to.socket})
                .payload.size(),
            10u);
  const StackStats stats = client.Call<reply::Stats>(command::GetStats{}).stack;
  EXPECT_EQ(stats.Dropped(DropReason::kOwnerQueueFull), 3u);
  EXPECT_EQ(stats.packets_handed_over, 1u);
}

TEST_F(ShardGroupTest, ShardsPingInTurn) {
  client_.Call<reply::Done>(
      command::AddAddress{"idle", *Cidr::Parse("10.0.0.2/24")});
  for (uint32_t i = 0; i < 2 * kShards; ++i) {
    client_.Post(command::Ping{.remote = *IpAddress::Parse("10.0.0.77"),
                               .timeout = Duration::Seconds(30)});
  }
  std::map<uint32_t, uint32_t> waiting;  // by shard
  for (const auto& entry : AllSockets()) {
    ++waiting[entry.summary.socket.shard()];
  }
  EXPECT_EQ(waiting, (std::map<uint32_t, uint32_t>{{0, 2}, {1, 2}, {2, 2}}));
}

TEST_F(ShardGroupTest, PingsAreAnsweredWhicheverShardSendsThem) {
  for (uint32_t i = 0; i < 2 * kShards; ++i) {
    client_.Call<reply::PingReply>(
        command::Ping{.remote = *IpAddress::Parse("127.0.0.1"),
                      .timeout = Duration::Seconds(30)});
  }
}

TEST_F(ShardGroupTest, SocketsAreListedOnceEach) {
  std::set<SocketId> opened;
  for (int i = 0; i < 10; ++i) {
    opened.insert(
        client_.Call<reply::Opened>(UdpOn(EndpointOf("127.0.0.1:0"))).socket);
  }
  std::set<SocketId> listed;
  for (const auto& entry : AllSockets()) {
    EXPECT_TRUE(listed.insert(entry.summary.socket).second);
  }
  EXPECT_EQ(listed, opened);
}

TEST_F(ShardGroupTest, CountersAreOfAllShards) {
  for (int i = 0; i < 10; ++i) {
    client_.Call<reply::Opened>(UdpOn(EndpointOf("127.0.0.1:0")));
  }
  EXPECT_EQ(client_.Call<reply::Stats>(command::GetStats{}).stack.sockets, 10u);
}

TEST_F(ShardGroupTest, AddressesAreOfAllShards) {
  client_.Call<reply::Done>(
      command::AddAddress{"idle", *Cidr::Parse("10.0.0.2/24")});
  client_.Call<reply::Opened>(ListenOn(EndpointOf("10.0.0.2:80")));
  for (uint32_t i = 0; i < kShards; ++i) {
    client_.Call<reply::Opened>(Dial(EndpointOf("10.0.0.2:80")));
  }
  client_.Call<reply::Done>(
      command::RemoveAddress{"idle", *IpAddress::Parse("10.0.0.2")});
  for (uint32_t i = 0; i < kShards; ++i) {
    EXPECT_FALSE(client_.Ask(Dial(EndpointOf("10.0.0.2:80"))).status.ok());
  }
  EXPECT_EQ(client_.Ask(command::AddAddress{"none", Cidr()}).status.code(),
            absl::StatusCode::kNotFound);
}

// Dialled where nobody answers.
TEST_F(ShardGroupTest, ADialIsCancelledInWhicheverShardItWaits) {
  client_.Call<reply::Done>(
      command::AddAddress{"idle", *Cidr::Parse("10.0.0.2/24")});
  for (uint32_t i = 0; i < 2 * kShards; ++i) {
    command::TcpDial dial = Dial(EndpointOf("10.0.0.77:80"));
    if (i % 2 == 1) {
      dial.options.local = IpEndpoint{EndpointOf("0.0.0.0:0").address,
                                      static_cast<uint16_t>(4000 + i)};
    }
    const uint64_t waiting = client_.Post(dial);
    client_.Call<reply::Done>(command::Cancel{waiting});
    EXPECT_EQ(client_.Wait(waiting).status.code(),
              absl::StatusCode::kCancelled);
    EXPECT_EQ(client_.Ask(command::Cancel{waiting}).status.code(),
              absl::StatusCode::kNotFound);
  }
}

TEST_F(ShardGroupTest, InventedIdsAreNobodys) {
  for (const SocketId id : {SocketId{SocketId::SlotOf(200, 1), 1},
                            SocketId{SocketId::SlotOf(1, 1), 99}, SocketId{}}) {
    EXPECT_EQ(client_.Ask(command::GetInfo{id}).status.code(),
              absl::StatusCode::kNotFound);
    EXPECT_EQ(client_.Ask(command::TcpAccept{id}).status.code(),
              absl::StatusCode::kNotFound);
    EXPECT_EQ(client_.Ask(command::Close{id}).status.code(),
              absl::StatusCode::kNotFound);
  }
}

TEST_F(ShardGroupTest, StopAnswersWhatWaitsAndPostIsUnavailableThen) {
  const auto listener =
      client_.Call<reply::Opened>(ListenOn(EndpointOf("127.0.0.1:80")));
  const auto udp = client_.Call<reply::Opened>(UdpOn(EndpointOf("0.0.0.0:0")));
  const uint64_t waiting[] = {client_.Post(command::TcpAccept{listener.socket}),
                              client_.Post(command::TcpAccept{listener.socket}),
                              client_.Post(command::UdpRecv{udp.socket})};
  group_.Stop();
  for (const uint64_t cookie : waiting) {
    EXPECT_EQ(client_.Wait(cookie).status.code(), absl::StatusCode::kCancelled);
  }
  EXPECT_EQ(client_.TryPost(command::GetStats{}).code(),
            absl::StatusCode::kUnavailable);
  EXPECT_EQ(client_.TryPost(command::Close{listener.socket}).code(),
            absl::StatusCode::kUnavailable);
}

}  // namespace
}  // namespace tcpip
