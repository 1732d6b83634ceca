// Packet-too-big as the kernel says it: it stands in the way to a network that
// takes less than the device.
#include <cstdint>
#include <cstring>
#include <utility>

#include "gtest/gtest.h"
#include "tests/tun/tun_fixture.h"

namespace tcpip {
namespace {

class TunPathMtu : public TunPathTest {};

// [fault I11, U14]
TEST_P(TunPathMtu, TheKernelsReportIsBelieved) {
  const Cidr beyond = *Cidr::Parse(IsV4() ? "192.0.2.0/24" : "fd78::/64");
  const IpAddress remote = *IpAddress::Parse(IsV4() ? "192.0.2.1" : "fd78::1");
  const absl::Status routed = RouteThroughKernel(device_, beyond, 1400);
  if (!routed.ok()) GTEST_SKIP() << routed.message();
  client_->Call<reply::Done>(command::AddRoute{beyond, device_});

  command::UdpOpen open;
  open.options.local = StackEnd(family(), 9);
  const SocketId socket = client_->Call<reply::Opened>(open).socket;
  const auto send = [&](size_t size) {
    OwnedBytes payload = OwnedBytes::Allocate(size);
    std::memset(payload.mutable_data(), 1, size);
    return client_
        ->Ask(
            command::UdpSend{socket, IpEndpoint{remote, 9}, std::move(payload)})
        .status;
  };
  const auto reports = [](const reply::Stats& stats) {
    return stats.stack.icmp_path_mtu_reports;
  };
  EXPECT_TRUE(send(1400 - (IsV4() ? 28 : 48)).ok());
  EXPECT_EQ(reports(Stats()), 0u);
  EXPECT_TRUE(send(1440).ok());
  EXPECT_TRUE(Eventually(
      [&](const reply::Stats& stats) { return reports(stats) == 1; }));
  // Nothing as large leaves any more, in one piece at least.
  send(1440).IgnoreError();
  ExpectAlive();
  EXPECT_EQ(reports(Stats()), 1u);
}

INSTANTIATE_TEST_SUITE_P(Paths, TunPathMtu, testing::ValuesIn(kTunPaths),
                         PathName);

}  // namespace
}  // namespace tcpip
