// TunTest: a shard on a real TUN device in a network namespace of its own,
// with echo, discard and source inside (bench/port_services.h), and the
// kernel's sockets on the other end.
//
//   kernel 10.77.0.1, fd77::1  <--- nst0 --->  10.77.0.2, fd77::2 stack
//
// Skips, saying why, where namespaces or TUN devices cannot be had.
#ifndef TESTS_TUN_TUN_FIXTURE_H_
#define TESTS_TUN_TUN_FIXTURE_H_

#include <atomic>
#include <cstdint>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "bench/port_services.h"
#include "gtest/gtest.h"
#include "tcpip/shard/command.h"
#include "tcpip/shard/device_news.h"
#include "tcpip/shard/shard.h"
#include "tcpip/stack/socket_id.h"
#include "tcpip/stack/socket_options.h"
#include "tcpip/testing/waiting_client.h"
#include "tcpip/tun/tun_device.h"
#include "tcpip/wire/address.h"
#include "tests/tun/kernel_net.h"

namespace tcpip {

// How often a device went and came back; whoever waits for the first time can.
class DeviceTally final : public DeviceObserver {
 public:
  void OnLinkLost() override {
    if (++lost == 1) gone.set_value();
  }
  void OnLinkBack() override {
    if (++back == 1) returned.set_value();
  }

  void OnLinkUnusable(const absl::Status& why) override {
    if (++unusable == 1) obstacle.set_value(why);
  }

  std::atomic<int> lost = 0;
  std::atomic<int> unusable = 0;
  std::atomic<int> back = 0;
  std::promise<void> gone;
  std::promise<absl::Status> obstacle;
  std::promise<void> returned;
};

// The network around a device of the test's own.
class KernelNetTest : public testing::Test {
 protected:
  static void SetUpTestSuite();
  void SetUp() override;

  // The stack's and the kernel's end.
  static IpEndpoint StackEnd(IpFamily family, uint16_t port);
  static IpEndpoint KernelEnd(IpFamily family, uint16_t port);

  std::string device_;
  DeviceTally told_;
};

class TunTest : public KernelNetTest {
 protected:
  void SetUp() override { StartShard(/*offload=*/true); }
  void TearDown() override;

  // Makes device and shard; skips the test where that is impossible.
  void StartShard(bool offload) { StartShard(TunOptions{.offload = offload}); }
  void StartShard(TunOptions options);

  reply::Stats Stats() {
    return client_->Call<reply::Stats>(command::GetStats{});
  }
  // Asks until `done(stats)`, for some seconds at most.
  template <typename Done>
  bool Eventually(Done done) {
    for (int i = 0; i < 2000; ++i) {
      if (done(Stats())) return true;
      Pause();
    }
    return false;
  }

  // One byte to the echo port and back.
  void ExpectAlive();

  std::unique_ptr<bench::PortServices> services_;
  std::unique_ptr<Shard> shard_;
  std::unique_ptr<WaitingClient> client_;  // of the shard

 private:
  static void Pause();  // some milliseconds
};

// The same with every family, with and without offload.
struct TunPath {
  IpFamily family;
  bool offload;
};

class TunPathTest : public TunTest,
                    public testing::WithParamInterface<TunPath> {
 protected:
  void SetUp() override { StartShard(GetParam().offload); }
  IpFamily family() const { return GetParam().family; }
  bool IsV4() const { return family() == IpFamily::kIpv4; }
  static IpEndpoint Remote(uint16_t port) {
    return StackEnd(GetParam().family, port);
  }
  struct Udp {
    SocketId socket;
    KernelSocket kernel;
  };
  // A socket of ours on port 5353 and one of the kernel connected to it.
  Udp UdpPair(const UdpSettings& settings = {});
};

std::string PathName(const testing::TestParamInfo<TunPath>& info);

inline constexpr TunPath kTunPaths[] = {{IpFamily::kIpv4, true},
                                        {IpFamily::kIpv4, false},
                                        {IpFamily::kIpv6, true},
                                        {IpFamily::kIpv6, false}};

}  // namespace tcpip

#endif  // TESTS_TUN_TUN_FIXTURE_H_
