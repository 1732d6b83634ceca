// Packets larger than the MTU of a real TUN device: what the kernel cuts we
// put together, and the reverse.
#include <netinet/icmp6.h>
#include <netinet/in.h>
#include <netinet/ip_icmp.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "tcpip/base/bytes.h"
#include "tcpip/base/checksum.h"
#include "tests/tun/tun_fixture.h"

namespace tcpip {
namespace {

class TunFragments : public TunPathTest {
 protected:
  static std::vector<uint8_t> Payload(size_t size) {
    std::vector<uint8_t> payload(size);
    for (size_t i = 0; i < size; ++i) {
      payload[i] = static_cast<uint8_t>(i % 251);
    }
    return payload;
  }
};

// [fault I05] [fault I06] [fault I09]
TEST_P(TunFragments, LargeDatagramsPassBothWays) {
  auto [socket, kernel] = UdpPair();
  for (const size_t size : {size_t{1473}, size_t{4000}, size_t{60000},
                            size_t{IsV4() ? 65507u : 65527u}}) {
    const std::vector<uint8_t> payload = Payload(size);
    ASSERT_EQ(send(kernel.fd(), payload.data(), size, 0),
              static_cast<ssize_t>(size));
    const auto got =
        client_->Call<reply::DatagramReceived>(command::UdpRecv{socket});
    const ByteSpan bytes = got.payload.span();
    EXPECT_TRUE(
        std::equal(bytes.begin(), bytes.end(), payload.begin(), payload.end()))
        << size;
    client_->Call<reply::Done>(
        command::UdpSend{socket, got.source, OwnedBytes::CopyOf(bytes)});
    std::vector<uint8_t> back(70000);
    ASSERT_EQ(kernel.Recv(back), static_cast<ssize_t>(size));
    back.resize(size);
    EXPECT_EQ(back, payload);
  }
  const StackStats stats = Stats().stack;
  EXPECT_EQ(stats.ip_reasm_oks, 4u);
  EXPECT_EQ(stats.ip_reasm_fails, 0u);
  EXPECT_EQ(stats.ip_frag_oks, 4u);
  EXPECT_GE(stats.ip_frag_creates, 2u + 3 + 41 + 45);
}

TEST_P(TunFragments, StackPingsTheKernelWith20000Bytes) {
  command::Ping ping;
  ping.remote = KernelEnd(family(), 0).address;
  ping.seq = 9;
  ping.payload_bytes = 20000;
  ping.timeout = Duration::Seconds(10);
  const EchoReply reply = client_->Call<reply::PingReply>(ping).reply;
  EXPECT_EQ(reply.seq, 9);
  EXPECT_EQ(reply.payload_bytes, 20000u);
}

// As ping -s 20000 does.
TEST_P(TunFragments, KernelPingsTheStackWith20000Bytes) {
  KernelSocket raw = KernelSocket::Make(
      family(), SOCK_RAW, IsV4() ? int{IPPROTO_ICMP} : int{IPPROTO_ICMPV6});
  if (!raw.ok()) GTEST_SKIP() << "no raw sockets";
  const KernelAddress remote(Remote(0));
  ASSERT_EQ(connect(raw.fd(), remote.get(), remote.size), 0);
  // Type, code, checksum, identifier and sequence number come first.
  std::vector<uint8_t> request = Payload(8 + 20000);
  StoreBe32(&request[0], 0);
  request[0] = IsV4() ? ICMP_ECHO : ICMP6_ECHO_REQUEST;
  // The kernel fills in ICMPv6's checksum only.
  if (IsV4()) StoreBe16(&request[2], SumBytes(request).Checksum());
  ASSERT_TRUE(raw.SendAll(request));
  std::vector<uint8_t> bytes(70000);
  while (true) {
    const ssize_t n = raw.Recv(bytes);
    ASSERT_GT(n, 0) << "no reply";
    // An IPv4 raw socket gives the IP header, too.
    const size_t skip = IsV4() ? size_t{bytes[0]} % 16 * 4 : 0;
    const ByteSpan reply =
        ByteSpan(bytes).first(static_cast<size_t>(n)).subspan(skip);
    if (reply[0] != (IsV4() ? ICMP_ECHOREPLY : ICMP6_ECHO_REPLY)) continue;
    ASSERT_EQ(reply.size(), request.size());
    EXPECT_TRUE(
        std::equal(reply.begin() + 4, reply.end(), request.begin() + 4));
    break;
  }
  EXPECT_GE(Stats().stack.ip_reasm_oks, 1u);
}

INSTANTIATE_TEST_SUITE_P(Paths, TunFragments, testing::ValuesIn(kTunPaths),
                         PathName);

}  // namespace
}  // namespace tcpip
