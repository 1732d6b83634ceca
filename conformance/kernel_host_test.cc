// The kernel of this machine in a namespace, in real time: nothing here depends
// on how long anything takes. Needs the rights to make one.
#include "conformance/kernel_host.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "conformance/kernel_network.h"
#include "conformance/linux_constants.h"
#include "gtest/gtest.h"
#include "tcpip/testing/packet_builder.h"

namespace conformance {
namespace {

using tcpip::Duration;
using tcpip::IpAddress;
using tcpip::IpEndpoint;
using tcpip::wire::TcpFlags;

const IpEndpoint kHost = {IpAddress::Ipv4(192, 168, 0, 1), 8080};
const IpEndpoint kPeer = {IpAddress::Ipv4(192, 0, 2, 1), 40000};
// Longer than any machine takes.
constexpr Duration kEver = Duration::Seconds(60);

// `test` runs in a thread of its own, which stays in the script's namespace.
void WithHost(const std::function<void(Host&)>& test) {
  const absl::Status may = MayEnterNetworks();
  if (!may.ok()) GTEST_SKIP() << may.message();
  std::thread([&test] {
    HostConfig config;
    SetIpMode(IpMode::kIpv4, config);
    const auto host = KernelHost::Make(config);
    ASSERT_TRUE(host.ok()) << host.status();
    test(**host);
  }).join();
}

int64_t Do(Host& host, const Call& call) {
  const auto finished = host.FinishCall(host.StartCall(call), kEver);
  EXPECT_TRUE(finished);
  if (!finished) return -1;
  EXPECT_EQ(finished->result.error, 0);
  return finished->result.value;
}

int Listen(Host& host) {
  const auto fd =
      static_cast<int>(Do(host, call::Socket{.domain = Linux("AF_INET"),
                                             .type = Linux("SOCK_STREAM")}));
  Do(host, call::Bind{.fd = fd, .local = {IpAddress::Ipv4(0, 0, 0, 0), 8080}});
  Do(host, call::Listen{.fd = fd, .backlog = 5});
  return fd;
}

void Send(Host& host, int flags, uint32_t seq, uint32_t ack) {
  host.Inject(tcpip::sim::Build(tcpip::sim::TcpPacket{.from = kPeer,
                                                      .to = kHost,
                                                      .seq = seq,
                                                      .ack = ack,
                                                      .flags = TcpFlags(flags),
                                                      .options = {}}));
}

// The next segment's flags and sequence number.
struct Heard {
  std::string flags;
  uint32_t seq = 0;
};
Heard Hear(Host& host) {
  const auto sent = host.NextPacket(kEver);
  EXPECT_TRUE(sent);
  if (!sent) return {};
  EXPECT_LE(sent->at, host.now());
  const auto read = tcpip::sim::Read(sent->bytes);
  EXPECT_TRUE(read && read->tcp) << sent->bytes.size();
  if (!read || !read->tcp) return {};
  return {read->tcp->header.flags.ToString(), read->tcp->header.seq};
}

TEST(KernelHostTest, AConnectionIsEstablishedAndItsStateIsSeen) {
  WithHost([](Host& host) {
    const int listener = Listen(host);
    const auto accept = host.StartCall(call::Accept{.fd = listener});
    Send(host, TcpFlags::kSyn, 100, 0);
    const Heard syn_ack = Hear(host);
    EXPECT_EQ(syn_ack.flags, "S.");
    EXPECT_FALSE(host.FinishCall(accept, host.now()));
    Send(host, TcpFlags::kAck, 101, syn_ack.seq + 1);
    const auto accepted = host.FinishCall(accept, kEver);
    ASSERT_TRUE(accepted);
    EXPECT_EQ(accepted->result.peer, kPeer);
    std::vector<std::string> states = host.TcpStates();
    std::sort(states.begin(), states.end());
    EXPECT_EQ(states, (std::vector<std::string>{"ESTAB", "LISTEN"}));
  });
}

TEST(KernelHostTest, DroppedConnectionsAreResetAndListenersStay) {
  WithHost([](Host& host) {
    const int listener = Listen(host);
    Send(host, TcpFlags::kSyn, 100, 0);
    Send(host, TcpFlags::kAck, 101, Hear(host).seq + 1);
    Do(host, call::Accept{.fd = listener});
    host.DropConnections();
    EXPECT_EQ(Hear(host).flags, "R.");
    EXPECT_EQ(host.TcpStates(), std::vector<std::string>{"LISTEN"});
  });
}

TEST(KernelHostTest, TimeIsWaitedFor) {
  WithHost([](Host& host) {
    const Duration until = host.now() + Duration::Milliseconds(5);
    EXPECT_FALSE(host.NextPacket(until));
    EXPECT_GE(host.now(), until);
    host.AdvanceTo(until + Duration::Milliseconds(5));
    EXPECT_GE(host.now(), until + Duration::Milliseconds(5));
  });
}

TEST(KernelHostTest, EndsThoughACallStillBlocks) {
  WithHost([](Host& host) {
    const int listener = Listen(host);
    host.StartCall(call::Accept{.fd = listener});
  });
}

TEST(KernelHostTest, ASettingThatThisKernelDoesNotHaveIsToldOf) {
  const absl::Status may = MayEnterNetworks();
  if (!may.ok()) GTEST_SKIP() << may.message();
  std::thread([] {
    HostConfig config;
    SetIpMode(IpMode::kIpv4, config);
    config.sysctls = {{"net.ipv4.no_such_key", "1"}};
    EXPECT_TRUE(absl::IsUnimplemented(KernelHost::Make(config).status()));
    config.sysctls = {{"net.ipv4.tcp_sack", "many"}};
    EXPECT_TRUE(absl::IsInvalidArgument(KernelHost::Make(config).status()));
  }).join();
}

}  // namespace
}  // namespace conformance
