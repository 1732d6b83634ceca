#include "conformance/posix_udp.h"

#include <string>

#include "conformance/linux_constants.h"
#include "conformance/posix_fixture.h"
#include "gtest/gtest.h"
#include "tcpip/stack/stack_fixture.h"
#include "tcpip/testing/packet_builder.h"

namespace conformance {
namespace {

using tcpip::Ip;
using tcpip::IpEndpoint;

const IpEndpoint kHost = {Ip("10.0.0.1"), 53};
const IpEndpoint kPeer = {Ip("10.0.0.2"), 5353};

class PosixUdpTest : public testing::Test {
 protected:
  int Open() {
    return static_cast<int>(
        f_.Do(call::Socket{Linux("AF_INET"), Linux("SOCK_DGRAM")}).value);
  }
  int Bound() {
    const int fd = Open();
    EXPECT_EQ(Say(call::Bind{fd, kHost}), "0");
    return fd;
  }
  void Arrive(size_t bytes) {
    f_.Receive(tcpip::sim::Build(tcpip::sim::UdpPacket{
        .from = kPeer, .to = kHost, .payload = tcpip::Bytes(bytes)}));
  }
  std::string Say(const Call& call) { return Said(f_.Do(call)); }

  PosixFixture f_;
};

TEST_F(PosixUdpTest, CallsOfStreamsAreRefused) {
  const int fd = Open();
  EXPECT_EQ(Say(call::Listen{fd, 1}), "-1 EOPNOTSUPP");
  EXPECT_EQ(Say(call::Accept{fd}), "-1 EOPNOTSUPP");
  EXPECT_EQ(Say(call::Shutdown{fd, 1}), "-1 ENOTCONN");
  EXPECT_EQ(Say(call::Send{.fd = fd, .lengths = {1}}), "-1 EDESTADDRREQ");
  EXPECT_EQ(Say(call::Ioctl{fd, Linux("SIOCINQ")}),
            "unsupported: ioctl of a UDP socket");
}

TEST_F(PosixUdpTest, DatagramsComeWhole) {
  const int fd = Bound();
  EXPECT_EQ(Say(call::Bind{fd, kHost}), "-1 EINVAL");
  Arrive(100);
  Arrive(0);
  Arrive(50);
  const auto read = [&](uint32_t length, int flags = 0) {
    return f_.Do(call::Receive{.fd = fd, .lengths = {length}, .flags = flags});
  };
  EXPECT_EQ(read(30, Linux("MSG_PEEK")).value, 30);
  const CallResult first = read(30);
  EXPECT_EQ(first.value, 30);
  EXPECT_EQ(first.message_flags, Linux("MSG_TRUNC"));
  EXPECT_EQ(first.peer, kPeer);
  EXPECT_EQ(Said(read(30)), "0");
  EXPECT_EQ(read(30, Linux("MSG_TRUNC")).value, 50);
  EXPECT_EQ(Said(read(30, Linux("MSG_DONTWAIT"))), "-1 EAGAIN");
}

TEST_F(PosixUdpTest, ReadWaitsAndPollTells) {
  const int fd = Bound();
  const auto poll = [&] {
    const CallResult result =
        f_.Do(call::Poll{.entries = {{.fd = fd, .events = 0x7fff}}});
    return FlagsText(kPollEvents,
                     static_cast<uint64_t>(result.poll.at(0).revents));
  };
  EXPECT_EQ(poll(), "POLLOUT|POLLWRNORM|POLLWRBAND");
  const auto id = f_.Begin(call::Receive{.fd = fd, .lengths = {10}});
  Arrive(7);
  EXPECT_EQ(Said(f_.sockets().Take(id)->result), "7");
  Arrive(8);
  EXPECT_EQ(poll(), "POLLIN|POLLOUT|POLLRDNORM|POLLWRNORM|POLLWRBAND");
}

TEST_F(PosixUdpTest, SendsToWhomItIsConnectedOrTold) {
  const int fd = Open();
  EXPECT_EQ(Say(call::Send{.fd = fd, .lengths = {1, 2}, .to = kPeer}), "3");
  EXPECT_EQ(Say(call::Connect{fd, kPeer}), "0");
  EXPECT_EQ(Say(call::Send{.fd = fd, .lengths = {9}}), "9");
  EXPECT_EQ(Say(call::Send{.fd = fd, .lengths = {70'000}}), "-1 EMSGSIZE");
  EXPECT_EQ(Say(call::Send{.fd = fd, .lengths = {1}, .flags = 0x8000}),
            "unsupported: flag MSG_MORE");
  EXPECT_EQ(
      Say(call::Send{
          .fd = fd, .lengths = {1}, .to = IpEndpoint{Ip("192.0.2.1"), 1}}),
      "-1 ENETUNREACH");
  EXPECT_EQ(Say(call::Close{fd}), "0");
}

TEST_F(PosixUdpTest, TakenPortIsRefused) {
  Bound();
  EXPECT_EQ(Say(call::Bind{Open(), kHost}), "-1 EADDRINUSE");
  EXPECT_EQ(Say(call::Bind{Open(), {Ip("10.9.9.9"), 53}}), "-1 EADDRNOTAVAIL");
  EXPECT_EQ(Say(call::Bind{Open(), {Ip("2001:db8::1"), 53}}),
            "-1 EAFNOSUPPORT");
}

}  // namespace
}  // namespace conformance
