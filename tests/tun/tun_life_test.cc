// What an administrator does to the device while connections are open: down and
// up, another MTU, other offloads, deletion and return.
#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/tun/transfer.h"
#include "tests/tun/tun_fixture.h"

namespace tcpip {
namespace {

constexpr uint64_t kMebibyte = uint64_t{1} << 20;
// Far more than buffers hold: the rest cannot be on its way yet.
constexpr uint64_t kAll = 64 * kMebibyte;

// A download that is read piece by piece, so that it can be disturbed.
class TunLife : public TunTest {
 protected:
  // Each test starts its own device.
  // NOLINTNEXTLINE(bugprone-parent-virtual-call)
  void SetUp() override { KernelNetTest::SetUp(); }

  void StartDownload() {
    source_ =
        KernelSocket::Connected(StackEnd(IpFamily::kIpv4, bench::kSourcePort));
    ASSERT_TRUE(source_.ok());
    ASSERT_TRUE(RequestPattern(source_, kAll));
    ReadUntil(kMebibyte);
  }
  void ReadUntil(uint64_t position) {
    std::vector<uint8_t> block(size_t{64} << 10);
    while (got_ < position) {
      const ssize_t n = source_.Recv(block);
      ASSERT_GT(n, 0) << "after " << got_;
      const ByteSpan bytes(block.data(), static_cast<size_t>(n));
      ASSERT_TRUE(IsPattern(bytes, got_));
      got_ += bytes.size();
    }
  }
  void FinishDownload() {
    ReadUntil(kAll);
    EXPECT_EQ(Stats().link.write_errors, 0u);
  }
  InterfaceConfig DeviceConfig() {
    for (const InterfaceInfo& interface :
         client_->Call<reply::Network>(command::GetNetwork{}).interfaces) {
      if (interface.config.name == device_) return interface.config;
    }
    return {};
  }

  KernelSocket source_;
  uint64_t got_ = 0;
};

// [fault O06] [fault L12]
TEST_F(TunLife, ADownloadGoesOnWhenTheDeviceIsUpAgain) {
  StartShard(/*offload=*/true);
  if (IsSkipped()) return;
  StartDownload();
  ASSERT_TRUE(SetDeviceUp(device_, false).ok());
  // A timer sends at last.
  EXPECT_TRUE(Eventually(
      [](const reply::Stats& stats) { return stats.link.down > 0; }));
  EXPECT_EQ(told_.lost, 0);
  ASSERT_TRUE(SetDeviceUp(device_, true).ok());
  FinishDownload();
}

// Each look at the counters is a turn, and each turn may try to write. A
// loop that spins tries thousands of times in between.
TEST_F(TunLife, ADeviceThatIsDownKeepsNobodyBusy) {
  StartShard(/*offload=*/true);
  if (IsSkipped()) return;
  StartDownload();
  ASSERT_TRUE(SetDeviceUp(device_, false).ok());
  EXPECT_TRUE(Eventually(
      [](const reply::Stats& stats) { return stats.link.down > 0; }));
  const uint64_t before = Stats().link.down;
  int looks = 0;
  uint64_t after = 0;
  EXPECT_TRUE(Eventually([&](const reply::Stats& stats) {
    after = stats.link.down;
    return ++looks == 50;
  }));
  EXPECT_LT(after - before, 200u);
}

// [fault L12] [fault L16] a persistent device that its administrator makes anew
TEST_F(TunLife, ADownloadGoesOnWhenADeletedDeviceIsBack) {
  const std::string name = "keep0";
  if (!MakeTunDevice(name, false).ok()) GTEST_SKIP() << "no TUN devices";
  StartShard({.name = name, .must_exist = true});
  if (IsSkipped()) return;
  StartDownload();
  ASSERT_TRUE(DeleteDevice(name).ok());
  EXPECT_TRUE(Eventually([&](const reply::Stats&) { return told_.lost == 1; }));
  EXPECT_EQ(told_.back, 0);
  ASSERT_TRUE(MakeTunDevice(name, false).ok());
  EXPECT_TRUE(Eventually([&](const reply::Stats&) { return told_.back == 1; }));
  ASSERT_TRUE(AddKernelAddress(name, *Cidr::Parse("10.77.0.1/24")).ok());
  FinishDownload();
  shard_.reset();
  EXPECT_TRUE(DeleteDevice(name).ok());
}

TEST_F(TunLife, TheMtuIsFollowed) {
  StartShard(/*offload=*/true);
  if (IsSkipped()) return;
  EXPECT_EQ(DeviceConfig().link.mtu, 1500u);
  ASSERT_TRUE(SetDeviceMtu(device_, 1280).ok());
  EXPECT_TRUE(Eventually(
      [&](const reply::Stats&) { return DeviceConfig().link.mtu == 1280; }));
  StartDownload();
  FinishDownload();
}

// [fault L02] in the middle of a connection
TEST_F(TunLife, OffloadsAreSwitchedUnderADownload) {
  StartShard(/*offload=*/true);
  if (IsSkipped()) return;
  StartDownload();
  const LinkOffloads none, all = {.checksum = true, .tso4 = true, .tso6 = true};
  client_->Call<reply::Done>(command::SetOffloads{none, none});
  EXPECT_EQ(client_->Call<reply::Network>(command::GetNetwork{}).offloads,
            (SwitchedOffloads{none, none}));
  // What the device does no more is done in software: nobody above notices.
  EXPECT_EQ(DeviceConfig().link.tx, all);
  ReadUntil(kAll / 2);
  client_->Call<reply::Done>(command::SetOffloads{all, all});
  FinishDownload();
}

TEST_F(TunLife, OffloadsAreSwitchedUnderAnEcho) {
  StartShard(/*offload=*/true);
  if (IsSkipped()) return;
  for (const LinkOffloads& way :
       {LinkOffloads{}, LinkOffloads{.checksum = true},
        LinkOffloads{.checksum = true, .tso4 = true}}) {
    client_->Call<reply::Done>(command::SetOffloads{way, way});
    KernelSocket echo =
        KernelSocket::Connected(StackEnd(IpFamily::kIpv4, bench::kEchoPort));
    ASSERT_TRUE(echo.ok());
    EXPECT_EQ(EchoPattern(echo, 8 * kMebibyte), 8 * kMebibyte);
  }
}

// [fault P09] a burst far beyond every queue, in single packets
TEST_F(TunLife, ABurstOverAShortQueueDropsNothing) {
  StartShard({.offload = false, .tx_queue_packets = 64});
  if (IsSkipped()) return;
  const reply::Stats before = Stats();
  StartDownload();
  FinishDownload();
  EXPECT_EQ(Stats().stack.dropped, before.stack.dropped);
}

}  // namespace
}  // namespace tcpip
