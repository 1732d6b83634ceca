// Several queues on one device, and devices that others made, on the kernel.
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tcpip/base/time.h"
#include "tcpip/buffer/packet.h"
#include "tcpip/buffer/slab.h"
#include "tcpip/testing/packet_builder.h"
#include "tcpip/tun/tun_queue.h"
#include "tests/tun/tun_fixture.h"

namespace tcpip {
namespace {

constexpr size_t kQueues = 2;

class TunQueues : public TunTest {
 protected:
  void SetUp() override {
    if (absl::Status s = EnterOwnNetwork(); !s.ok()) {
      GTEST_SKIP() << s.message();
    }
  }

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
