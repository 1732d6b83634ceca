#include "tests/tun/tun_fixture.h"

#include <sys/socket.h>

#include <chrono>
#include <future>
#include <thread>

#include "absl/status/statusor.h"
#include "tcpip/tun/tun_queue.h"

namespace tcpip {
namespace {

Cidr Address(const char* text) { return *Cidr::Parse(text); }

// Entered once per process.
const absl::Status& OwnNetwork() {
  static const absl::Status status = EnterOwnNetwork();
  return status;
}

}  // namespace

void KernelNetTest::SetUpTestSuite() { OwnNetwork().IgnoreError(); }

void KernelNetTest::SetUp() {
  if (!OwnNetwork().ok()) GTEST_SKIP() << OwnNetwork().message();
}

void TunTest::StartShard(TunOptions options) {
  KernelNetTest::SetUp();
  if (IsSkipped()) return;
  options.bring_up = true;
  absl::StatusOr<TunDevice> device = OpenTun(options);
  if (!device.ok()) GTEST_SKIP() << device.status().message();
  device_ = device->name();
  for (const char* text : {"10.77.0.1/24", "fd77::1/64"}) {
    absl::Status s = AddKernelAddress(device_, Address(text));
    if (!s.ok()) GTEST_SKIP() << text << ": " << s.message();
  }
  std::promise<absl::Status> started;
  services_ = std::make_unique<bench::PortServices>(
      std::vector<Cidr>{Address("10.77.0.2/24"), Address("fd77::2/64")},
      [&](absl::Status s) { started.set_value(std::move(s)); });
  ShardConfig config;
  config.interface.name = device_;
  shard_ = std::make_unique<Shard>(
      config, std::make_unique<TunQueue>(*std::move(device)), services_.get(),
      &told_);
  client_ = std::make_unique<WaitingClient>(*shard_);
  const absl::Status s = started.get_future().get();
  ASSERT_TRUE(s.ok()) << s;
}

void TunTest::TearDown() {
  shard_.reset();
  services_.reset();
}

IpEndpoint KernelNetTest::StackEnd(IpFamily family, uint16_t port) {
  return {Address(family == IpFamily::kIpv4 ? "10.77.0.2" : "fd77::2").address,
          port};
}

IpEndpoint KernelNetTest::KernelEnd(IpFamily family, uint16_t port) {
  return {Address(family == IpFamily::kIpv4 ? "10.77.0.1" : "fd77::1").address,
          port};
}

void TunTest::ExpectAlive() {
  KernelSocket socket =
      KernelSocket::Connected(StackEnd(IpFamily::kIpv4, bench::kEchoPort));
  ASSERT_TRUE(socket.ok());
  const uint8_t sent[1] = {0x5a};
  uint8_t got[1] = {0};
  ASSERT_TRUE(socket.SendAll(sent));
  ASSERT_EQ(socket.Recv(got), 1);
  EXPECT_EQ(got[0], sent[0]);
}

void TunTest::Pause() {
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

TunPathTest::Udp TunPathTest::UdpPair(const UdpSettings& settings) {
  constexpr uint16_t kPort = 5353;
  command::UdpOpen open;
  open.options.local = StackEnd(family(), kPort);
  open.options.settings = settings;
  Udp pair = {.socket = client_->Call<reply::Opened>(open).socket,
              .kernel = KernelSocket::Make(family(), SOCK_DGRAM)};
  const KernelAddress remote(Remote(kPort));
  EXPECT_EQ(connect(pair.kernel.fd(), remote.get(), remote.size), 0);
  return pair;
}

std::string PathName(const testing::TestParamInfo<TunPath>& info) {
  return std::string(info.param.family == IpFamily::kIpv4 ? "Ipv4" : "Ipv6") +
         (info.param.offload ? "WithOffload" : "Plain");
}

}  // namespace tcpip
