// UDP and ping over a real TUN device.
#include <netinet/icmp6.h>
#include <netinet/in.h>
#include <netinet/ip_icmp.h>
#include <sys/socket.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tcpip/base/bytes.h"
#include "tcpip/base/checksum.h"
#include "tests/tun/tun_fixture.h"

namespace tcpip {
namespace {

class TunDatagram : public TunPathTest {
 protected:
  bool IsV4() const { return family() == IpFamily::kIpv4; }
  // The largest UDP payload of one packet at MTU 1500.
  size_t LargestPayload() const { return 1500 - (IsV4() ? 20 : 40) - 8; }
};

OwnedBytes Copy(ByteSpan bytes) {
  OwnedBytes owned = OwnedBytes::Allocate(bytes.size());
  std::memcpy(owned.mutable_data(), bytes.data(), bytes.size());
  return owned;
}

TEST_P(TunDatagram, BoundariesSurviveBothWaysEmptyOnesToo) {
  command::UdpOpen open;
  open.options.local = StackEnd(family(), 5353);
  const SocketId socket = Expect<reply::Opened>(open).socket;
  KernelSocket kernel = KernelSocket::Make(family(), SOCK_DGRAM);
  const KernelAddress remote(Remote(5353));
  ASSERT_EQ(connect(kernel.fd(), remote.get(), remote.size), 0);
  for (size_t size : {size_t{1}, size_t{0}, size_t{512}, LargestPayload()}) {
    const std::vector<uint8_t> payload(size, 0x42);
    ASSERT_EQ(send(kernel.fd(), payload.data(), size, 0),
              static_cast<ssize_t>(size));
    const auto got = Expect<reply::DatagramReceived>(command::UdpRecv{socket});
    EXPECT_EQ(got.payload.size(), size);
    Expect<reply::Done>(
        command::UdpSend{socket, got.source, Copy(got.payload.span())});
    std::vector<uint8_t> back(2000);
    EXPECT_EQ(kernel.Recv(back), static_cast<ssize_t>(size));
    back.resize(size);
    EXPECT_EQ(back, payload);
  }
}

TEST_P(TunDatagram, StackPingsTheKernel) {
  command::Ping ping;
  ping.remote = KernelEnd(family(), 0).address;
  ping.seq = 9;
  ping.payload_bytes = 1000;
  ping.timeout = Duration::Seconds(10);
  const EchoReply reply = Expect<reply::PingReply>(ping).reply;
  EXPECT_EQ(reply.seq, 9);
  EXPECT_EQ(reply.payload_bytes, 1000u);
  EXPECT_EQ(reply.source, ping.remote);
}

TEST_P(TunDatagram, KernelPingsTheStack) {
  KernelSocket raw = KernelSocket::Make(
      family(), SOCK_RAW, IsV4() ? int{IPPROTO_ICMP} : int{IPPROTO_ICMPV6});
  if (!raw.ok()) GTEST_SKIP() << "no raw sockets";
  const KernelAddress remote(Remote(0));
  ASSERT_EQ(connect(raw.fd(), remote.get(), remote.size), 0);
  // Type, code, checksum, identifier, sequence number, payload.
  std::array<uint8_t, 8 + 56> request = {};
  request[0] = IsV4() ? ICMP_ECHO : ICMP6_ECHO_REQUEST;
  StoreBe16(&request[4], 0x1234);
  StoreBe16(&request[6], 7);
  request[63] = 0x77;
  // The kernel fills in ICMPv6's checksum only.
  if (IsV4()) StoreBe16(&request[2], SumBytes(request).Checksum());
  ASSERT_TRUE(raw.SendAll(request));
  while (true) {
    std::array<uint8_t, 2000> bytes;
    const ssize_t n = raw.Recv(bytes);
    ASSERT_GT(n, 0) << "no reply";
    // An IPv4 raw socket gives the IP header, too.
    const size_t skip = IsV4() ? size_t{bytes[0]} % 16 * 4 : 0;
    const ByteSpan icmp =
        ByteSpan(bytes.data(), static_cast<size_t>(n)).subspan(skip);
    if (icmp[0] != (IsV4() ? ICMP_ECHOREPLY : ICMP6_ECHO_REPLY)) continue;
    ASSERT_EQ(icmp.size(), request.size());
    EXPECT_EQ(LoadBe16(&icmp[4]), 0x1234);
    EXPECT_EQ(LoadBe16(&icmp[6]), 7);
    EXPECT_EQ(icmp[63], 0x77);
    return;
  }
}

INSTANTIATE_TEST_SUITE_P(Paths, TunDatagram, testing::ValuesIn(kTunPaths),
                         PathName);

}  // namespace
}  // namespace tcpip
