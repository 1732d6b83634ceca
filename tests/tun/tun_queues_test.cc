// Several queues on one device, and devices that others made, on the kernel.
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <future>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "bench/port_services.h"
#include "gtest/gtest.h"
#include "tcpip/base/time.h"
#include "tcpip/buffer/packet.h"
#include "tcpip/buffer/slab.h"
#include "tcpip/shard/command.h"
#include "tcpip/shard/shard_group.h"
#include "tcpip/testing/packet_builder.h"
#include "tcpip/testing/waiting_client.h"
#include "tcpip/tun/tun_queue.h"
#include "tests/tun/transfer.h"
#include "tests/tun/tun_fixture.h"

namespace tcpip {
namespace {

constexpr size_t kQueues = 2;

class TunQueues : public KernelNetTest {
 protected:
  void Open(const TunOptions& options) {
    absl::StatusOr<std::vector<TunDevice>> devices =
        OpenTunQueues(options, kQueues);
    if (!devices.ok()) GTEST_SKIP() << devices.status().message();
    device_ = devices->front().name();
    for (TunDevice& device : *devices) {
      queues_.push_back(std::make_unique<TunQueue>(std::move(device)));
    }
    ASSERT_TRUE(AddKernelAddress(device_, *Cidr::Parse("10.77.0.1/24")).ok());
  }

  // Packets of UDP on each queue when there is one.
  std::vector<size_t> WaitForDatagrams() {
    std::vector<size_t> counts(kQueues);
    for (size_t total = 0; total == 0;) {
      std::vector<pollfd> waiting;
      for (const auto& queue : queues_) {
        waiting.push_back({queue->poll_fd(), POLLIN, 0});
      }
      if (poll(waiting.data(), waiting.size(), 20'000) <= 0) break;
      for (size_t i = 0; i < kQueues; ++i) {
        PacketBatch batch;
        queues_[i]->ReadBatch(pool_, batch, 64, Instant());
        for (const Packet& packet : batch) {
          constexpr uint8_t kUdp = 17;
          if (packet.head()[0] >> 4 == 4 && packet.head()[9] == kUdp) {
            ++counts[i];
            ++total;
          }
        }
      }
    }
    return counts;
  }

  SlabPool pool_;
  std::vector<std::unique_ptr<TunQueue>> queues_;
};

// A group of shards with echo, discard and source in each, a shard for each
// queue.
class ShardsOnQueues : public TunQueues {
 protected:
  static constexpr int kConnections = 32;
  static constexpr uint64_t kMebibyte = uint64_t{1} << 20;

  void Start(const TunOptions& options) {
    absl::StatusOr<std::vector<TunDevice>> devices =
        OpenTunQueues(options, kQueues);
    if (!devices.ok()) GTEST_SKIP() << devices.status().message();
    device_ = devices->front().name();
    ASSERT_TRUE(AddKernelAddress(device_, kKernelNet).ok());
    std::vector<std::unique_ptr<Link>> links;
    std::vector<ShardApp*> apps;
    std::array<std::promise<absl::Status>, kQueues> started;
    for (size_t i = 0; i < kQueues; ++i) {
      links.push_back(std::make_unique<TunQueue>(std::move((*devices)[i])));
      each_.push_back(std::make_unique<bench::PortServices>(
          std::vector<Cidr>{kOurNet},
          [&started, i](const absl::Status& s) { started[i].set_value(s); }));
      apps.push_back(each_.back().get());
    }
    ShardConfig config;
    config.interface.name = device_;
    group_ =
        std::make_unique<ShardGroup>(config, std::move(links), apps, &told_);
    client_ = std::make_unique<WaitingClient>(*group_);
    for (auto& each : started) ASSERT_TRUE(each.get_future().get().ok());
  }
  void TearDown() override { group_.reset(); }

  StackStats GroupStats() {
    return client_->Call<reply::Stats>(command::GetStats{}).stack;
  }

  const Cidr kKernelNet = *Cidr::Parse("10.77.0.1/24");
  const Cidr kOurNet = *Cidr::Parse("10.77.0.2/24");
  std::vector<std::unique_ptr<bench::PortServices>> each_;  // outlive the group
  std::unique_ptr<ShardGroup> group_;
  std::unique_ptr<WaitingClient> client_;
};

// Whichever queue its first packet came by, and whoever owns it.
TEST_F(ShardsOnQueues, ConnectionsOfTheKernelCarryTheirBytes) {
  Start({.name = "mq%d", .bring_up = true});
  if (IsSkipped()) return;
  std::vector<KernelSocket> echoes;
  for (int i = 0; i < kConnections; ++i) {
    echoes.push_back(
        KernelSocket::Connected(StackEnd(IpFamily::kIpv4, bench::kEchoPort)));
    ASSERT_TRUE(echoes.back().ok()) << i;
  }
  for (KernelSocket& echo : echoes) {
    EXPECT_EQ(EchoPattern(echo, kMebibyte), kMebibyte);
  }
  // The kernel knows no owners: half of the first segments are handed over.
  EXPECT_GT(GroupStats().packets_handed_over, 0u);
}

TEST_F(ShardsOnQueues, ConnectionsOfOursCarryTheirBytes) {
  Start({.name = "mq%d", .bring_up = true});
  if (IsSkipped()) return;
  const IpEndpoint server = KernelEnd(IpFamily::kIpv4, 80);
  KernelSocket listener = KernelSocket::Listening(server);
  ASSERT_TRUE(listener.ok());
  std::vector<uint8_t> pattern(size_t{64} << 10);
  for (size_t i = 0; i < pattern.size(); ++i) {
    pattern[i] = bench::PatternByte(i);
  }
  std::set<uint32_t> shards;
  for (int i = 0; i < kConnections; ++i) {
    const SocketId ours = client_->Call<reply::Opened>(Dial(server)).socket;
    shards.insert(ours.shard());
    KernelSocket theirs = listener.Accept();
    ASSERT_TRUE(theirs.ok());
    ASSERT_TRUE(theirs.SendAll(pattern));
    client_->Call<reply::Done>(
        command::TcpSend{ours, OwnedBytes::CopyOf(pattern)});
    client_->Call<reply::Done>(command::TcpCloseWrite{ours});
    std::vector<uint8_t> heard;
    EXPECT_TRUE(theirs.RecvUntilEof(heard, pattern.size()));
    EXPECT_EQ(heard, pattern);
    heard.clear();
    while (heard.size() < pattern.size()) {
      const auto more =
          client_->Call<reply::Received>(command::TcpRecv{ours}).data;
      ASSERT_GT(more.size(), 0u);
      heard.insert(heard.end(), more.span().begin(), more.span().end());
    }
    EXPECT_EQ(heard, pattern);
  }
  EXPECT_EQ(shards.size(), kQueues);
}

// [fault L12] with as many queues, each by the descriptor it had; told once
TEST_F(ShardsOnQueues, DownloadsGoOnWhenADeletedDeviceIsBack) {
  const std::string name = "keep2";
  if (!MakeTunDevice(name, true).ok()) GTEST_SKIP() << "no TUN devices";
  Start({.name = name, .must_exist = true, .bring_up = true});
  if (IsSkipped()) return;
  // Far more than buffers hold: the rest cannot be on its way yet.
  constexpr uint64_t kAll = 32 * kMebibyte;
  constexpr int kDownloads = 4;
  std::vector<KernelSocket> sources;
  const auto read = [&sources](int i, uint64_t from, uint64_t to) {
    std::vector<uint8_t> block(size_t{64} << 10);
    while (from < to) {
      const ssize_t n = sources[i].Recv(MutableByteSpan(block).first(
          std::min<uint64_t>(block.size(), to - from)));
      ASSERT_GT(n, 0) << "after " << from;
      const auto bytes = ByteSpan(block).first(static_cast<size_t>(n));
      ASSERT_TRUE(IsPattern(bytes, from));
      from += bytes.size();
    }
  };
  for (int i = 0; i < kDownloads; ++i) {
    sources.push_back(
        KernelSocket::Connected(StackEnd(IpFamily::kIpv4, bench::kSourcePort)));
    ASSERT_TRUE(sources.back().ok());
    ASSERT_TRUE(RequestPattern(sources.back(), kAll));
    read(i, 0, kMebibyte);
  }
  constexpr auto kPatience = std::chrono::seconds(30);
  ASSERT_TRUE(DeleteDevice(name).ok());
  ASSERT_EQ(told_.gone.get_future().wait_for(kPatience),
            std::future_status::ready);
  ASSERT_TRUE(MakeTunDevice(name, true).ok());
  ASSERT_EQ(told_.returned.get_future().wait_for(kPatience),
            std::future_status::ready);
  ASSERT_TRUE(AddKernelAddress(name, kKernelNet).ok());
  for (int i = 0; i < kDownloads; ++i) read(i, kMebibyte, kAll);
  group_.reset();
  EXPECT_EQ(told_.lost, 1);
  EXPECT_EQ(told_.back, 1);
  EXPECT_TRUE(DeleteDevice(name).ok());
}

// [fault L16] nobody waits for it without a word
TEST_F(ShardsOnQueues, ADeviceMadeAnewForOneQueueIsComplainedOf) {
  const std::string name = "keep3";
  if (!MakeTunDevice(name, true).ok()) GTEST_SKIP() << "no TUN devices";
  Start({.name = name, .must_exist = true, .bring_up = true});
  if (IsSkipped()) return;
  constexpr auto kPatience = std::chrono::seconds(30);
  ASSERT_TRUE(DeleteDevice(name).ok());
  ASSERT_TRUE(MakeTunDevice(name, false).ok());
  std::future<absl::Status> obstacle = told_.obstacle.get_future();
  ASSERT_EQ(obstacle.wait_for(kPatience), std::future_status::ready);
  const absl::Status why = obstacle.get();
  EXPECT_NE(why.message().find("ip tuntap add dev keep3 mode tun multi_queue"),
            std::string::npos)
      << why;
  ASSERT_TRUE(DeleteDevice(name).ok());
  ASSERT_TRUE(MakeTunDevice(name, true).ok());
  ASSERT_EQ(told_.returned.get_future().wait_for(kPatience),
            std::future_status::ready);
  group_.reset();
  EXPECT_EQ(told_.unusable, 1);
  EXPECT_TRUE(DeleteDevice(name).ok());
}

// What hand-over between shards rests on.
TEST_F(TunQueues, AFlowComesBackByTheQueueThatSentToIt) {
  Open({.name = "mq%d", .bring_up = true});
  if (IsSkipped()) return;
  const IpEndpoint ours = StackEnd(IpFamily::kIpv4, 9);
  for (uint16_t port = 5000; port < 5016; ++port) {
    const IpEndpoint theirs = KernelEnd(IpFamily::kIpv4, port);
    KernelSocket socket = KernelSocket::Make(IpFamily::kIpv4, SOCK_DGRAM);
    const KernelAddress local(theirs), remote(ours);
    ASSERT_EQ(bind(socket.fd(), local.get(), local.size), 0);
    ASSERT_EQ(connect(socket.fd(), remote.get(), remote.size), 0);
    const size_t by = port % kQueues;
    PacketBatch batch;
    batch.push_back(
        Packet::Copy(pool_, sim::Build(sim::UdpPacket{
                                .from = ours, .to = theirs, .payload = {1}})));
    ASSERT_EQ(queues_[by]->WriteBatch(batch), 1u);
    uint8_t byte[1];
    ASSERT_EQ(socket.Recv(byte), 1);
    ASSERT_TRUE(socket.SendAll(byte));
    EXPECT_EQ(WaitForDatagrams()[by], 1u) << port;
  }
}

TEST_F(TunQueues, APersistentDeviceForSeveralIsTakenBySeveralOrOne) {
  if (!MakeTunDevice("mq7", true).ok()) GTEST_SKIP() << "no TUN devices";
  const TunOptions options = {.name = "mq7", .must_exist = true};
  {
    const auto devices = OpenTunQueues(options, 4);
    ASSERT_TRUE(devices.ok()) << devices.status();
    EXPECT_EQ(devices->size(), 4u);
    EXPECT_FALSE(devices->front().created);
  }
  const absl::StatusOr<TunDevice> one = OpenTun(options);
  EXPECT_TRUE(one.ok()) << one.status();
}

TEST_F(TunQueues, APersistentDeviceForOneIsNotForSeveral) {
  if (!MakeTunDevice("sq7", false).ok()) GTEST_SKIP() << "no TUN devices";
  const TunOptions options = {.name = "sq7", .must_exist = true};
  const absl::Status several = OpenTunQueues(options, 2).status();
  EXPECT_EQ(several.code(), absl::StatusCode::kFailedPrecondition) << several;
  EXPECT_NE(several.message().find("mode tun multi_queue"), std::string::npos);
  EXPECT_TRUE(OpenTun(options).ok());
}

TEST_F(TunQueues, PassedDescriptorsAreAdopted) {
  std::vector<int> fds;
  {
    const auto devices = OpenTunQueues({.name = "mq%d"}, kQueues);
    if (!devices.ok()) GTEST_SKIP() << devices.status().message();
    for (const TunDevice& device : *devices)
      fds.push_back(dup(device.io->fd()));
  }
  const auto adopted = AdoptTunQueues({}, fds);
  ASSERT_TRUE(adopted.ok()) << adopted.status();
  EXPECT_EQ(adopted->size(), kQueues);
  EXPECT_EQ(adopted->front().tx, adopted->back().tx);
}

// [fault L18]
TEST_F(TunQueues, ADeviceInUseNamesItsHolder) {
  const absl::StatusOr<TunDevice> held = OpenTun({.name = "held%d"});
  if (!held.ok()) GTEST_SKIP() << held.status().message();
  const absl::Status second = OpenTun({.name = held->name()}).status();
  EXPECT_EQ(second.code(), absl::StatusCode::kUnavailable);
  EXPECT_NE(second.message().find("process " + std::to_string(getpid())),
            std::string::npos)
      << second;
}

}  // namespace
}  // namespace tcpip
