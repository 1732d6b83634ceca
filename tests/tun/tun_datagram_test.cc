// UDP and ping over a real TUN device.
#include <netinet/icmp6.h>
#include <netinet/in.h>
#include <netinet/ip_icmp.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
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
  // The largest UDP payload of one packet at MTU 1500.
  size_t LargestPayload() const { return 1500 - (IsV4() ? 20 : 40) - 8; }
};

// A datagram as the kernel's socket got it.
struct KernelDatagram {
  ssize_t size = -1;  // of the whole, however much fitted
  int tos = -1;
  int ttl = -1;
};

// Asks for TOS and TTL with each datagram.
void AskForMarks(const KernelSocket& socket, bool is_v4) {
  const int on = 1;
  const int level = is_v4 ? int{IPPROTO_IP} : int{IPPROTO_IPV6};
  for (const int option : {is_v4 ? IP_RECVTOS : IPV6_RECVTCLASS,
                           is_v4 ? IP_RECVTTL : IPV6_RECVHOPLIMIT}) {
    ASSERT_EQ(setsockopt(socket.fd(), level, option, &on, sizeof on), 0);
  }
}

// The value of a control message: TOS alone is a byte.
int ValueOf(const cmsghdr& message) {
  int value = 0;
  std::memcpy(&value, CMSG_DATA(&message),
              std::min(sizeof value, message.cmsg_len - CMSG_LEN(0)));
  return value;
}

KernelDatagram RecvMarked(const KernelSocket& socket, MutableByteSpan to) {
  KernelDatagram got;
  got.size = socket.RecvMessage(to, [&got](const cmsghdr& c) {
    const bool is_v4 = c.cmsg_level == IPPROTO_IP;
    if (c.cmsg_type == (is_v4 ? IP_TOS : IPV6_TCLASS)) got.tos = ValueOf(c);
    if (c.cmsg_type == (is_v4 ? IP_TTL : IPV6_HOPLIMIT)) got.ttl = ValueOf(c);
  });
  return got;
}

TEST_P(TunDatagram, BoundariesSurviveBothWaysEmptyOnesToo) {
  auto [socket, kernel] = UdpPair();
  for (size_t size : {size_t{1}, size_t{0}, size_t{512}, LargestPayload()}) {
    const std::vector<uint8_t> payload(size, 0x42);
    ASSERT_EQ(send(kernel.fd(), payload.data(), size, 0),
              static_cast<ssize_t>(size));
    const auto got =
        client_->Call<reply::DatagramReceived>(command::UdpRecv{socket});
    EXPECT_EQ(got.payload.size(), size);
    client_->Call<reply::Done>(command::UdpSend{
        socket, got.source, OwnedBytes::CopyOf(got.payload.span())});
    std::vector<uint8_t> back(2000);
    EXPECT_EQ(kernel.Recv(back), static_cast<ssize_t>(size));
    back.resize(size);
    EXPECT_EQ(back, payload);
  }
}

// TOS or traffic class, ECN codepoints among them, and TTL or hop limit, as
// the other side's socket sees them. [RFC 3168 5]
TEST_P(TunDatagram, MarksAreSeenByTheOtherSide) {
  auto [socket, kernel] = UdpPair({.ttl = 33, .tos = 0x2c});
  AskForMarks(kernel, IsV4());
  const int level = IsV4() ? int{IPPROTO_IP} : int{IPPROTO_IPV6};
  for (const int tos : {0x00, 0x01, 0x02, 0x03, 0xb8, 0xbb}) {
    const int ttl = 40 + tos % 4;
    ASSERT_EQ(setsockopt(kernel.fd(), level, IsV4() ? IP_TOS : IPV6_TCLASS,
                         &tos, sizeof tos),
              0);
    ASSERT_EQ(setsockopt(kernel.fd(), level,
                         IsV4() ? IP_TTL : IPV6_UNICAST_HOPS, &ttl, sizeof ttl),
              0);
    ASSERT_EQ(send(kernel.fd(), "x", 1, 0), 1);
    const auto got =
        client_->Call<reply::DatagramReceived>(command::UdpRecv{socket});
    EXPECT_EQ(got.tos, tos);
    EXPECT_EQ(got.ttl, ttl);

    command::UdpSend answer{socket, got.source,
                            OwnedBytes::CopyOf(got.payload.span())};
    std::array<uint8_t, 16> back;
    client_->Call<reply::Done>(
        command::UdpSend{socket, got.source, OwnedBytes()});
    KernelDatagram seen = RecvMarked(kernel, back);
    EXPECT_EQ(seen.tos, 0x2c);
    EXPECT_EQ(seen.ttl, 33);
    answer.control = {.ttl = static_cast<uint8_t>(ttl),
                      .tos = static_cast<uint8_t>(tos)};
    client_->Call<reply::Done>(std::move(answer));
    seen = RecvMarked(kernel, back);
    EXPECT_EQ(seen.tos, tos);
    EXPECT_EQ(seen.ttl, ttl);
  }
}

// [RFC 768] a checksum of zero goes out as all ones, whoever completes it
TEST_P(TunDatagram, ADatagramWhoseSumIsZeroPassesBothWays) {
  auto [socket, kernel] = UdpPair();
  ASSERT_EQ(send(kernel.fd(), "", 0, 0), 0);
  const auto first =
      client_->Call<reply::DatagramReceived>(command::UdpRecv{socket});
  // Pseudo header and header of a payload of two bytes; the ways there and
  // back have the same sum.
  constexpr uint16_t kLength = 8 + 2;
  PartialSum sum = SumBytes(first.source.address.bytes())
                       .Combine(SumBytes(first.destination.address.bytes()), 0);
  for (const uint16_t word : {uint16_t{IPPROTO_UDP}, kLength, kLength,
                              first.source.port, first.destination.port}) {
    sum.AddWord(word);
  }
  std::array<uint8_t, 2> sent;
  StoreBe16(sent.data(), sum.Checksum());
  ASSERT_EQ(send(kernel.fd(), sent.data(), sent.size(), 0), 2);
  const auto got =
      client_->Call<reply::DatagramReceived>(command::UdpRecv{socket});
  EXPECT_EQ(got.payload.size(), 2u);
  client_->Call<reply::Done>(command::UdpSend{
      socket, got.source, OwnedBytes::CopyOf(got.payload.span())});
  std::array<uint8_t, 8> back;
  EXPECT_EQ(kernel.Recv(back), 2);
}

// [RFC 1122 4.1.3.1] the kernel's socket learns that nobody is there
TEST_P(TunDatagram, AClosedPortIsUnreachable) {
  KernelSocket kernel = KernelSocket::Make(family(), SOCK_DGRAM);
  const KernelAddress remote(Remote(5354));
  ASSERT_EQ(connect(kernel.fd(), remote.get(), remote.size), 0);
  ASSERT_EQ(send(kernel.fd(), "x", 1, 0), 1);
  std::array<uint8_t, 8> back;
  EXPECT_EQ(kernel.Recv(back), -1);
  EXPECT_EQ(errno, ECONNREFUSED);
}

TEST_P(TunDatagram, StackPingsTheKernel) {
  command::Ping ping;
  ping.remote = KernelEnd(family(), 0).address;
  ping.seq = 9;
  ping.payload_bytes = 1000;
  ping.timeout = Duration::Seconds(10);
  const EchoReply reply = client_->Call<reply::PingReply>(ping).reply;
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
