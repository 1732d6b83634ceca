// Nonsense from the device: written into it by a packet socket, as a broken or
// hostile host would. Counted, dropped, and the stack lives on.
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cstdint>
#include <functional>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tcpip/base/bytes.h"
#include "tcpip/base/checksum.h"
#include "tcpip/base/rng.h"
#include "tcpip/wire/address.h"
#include "tests/tun/tun_fixture.h"

namespace tcpip {
namespace {

using Frame = std::vector<uint8_t>;

constexpr size_t kIpv4 = 20, kIpv6 = 40, kTcp = 20;

void SetIpv4Checksum(Frame& f) {
  StoreBe16(&f[10], 0);
  StoreBe16(&f[10], SumBytes(ByteSpan(f).first(kIpv4)).Checksum());
}

// Completes the checksum of the TCP segment from `start` on.
void SetTcpChecksum(Frame& f, size_t start, ByteSpan addresses) {
  StoreBe16(&f[start + 16], 0);
  PartialSum sum = SumBytes(addresses);
  sum.AddWord(IPPROTO_TCP);
  sum.AddWord(static_cast<uint16_t>(f.size() - start));
  sum.Combine(SumBytes(ByteSpan(f).subspan(start)), 0);
  StoreBe16(&f[start + 16], sum.Checksum());
}

void AppendSyn(Frame& f, ByteSpan options) {
  const size_t start = f.size();
  f.resize(start + kTcp);
  StoreBe16(&f[start], 50000);
  StoreBe16(&f[start + 2], bench::kEchoPort);
  StoreBe32(&f[start + 4], 1000);
  f[start + 12] = static_cast<uint8_t>((kTcp + options.size()) / 4 << 4);
  f[start + 13] = 0x02;  // SYN
  StoreBe16(&f[start + 14], 65535);
  f.insert(f.end(), options.begin(), options.end());
}

// A proper SYN to the echo port from an address nobody has.
Frame Syn4(ByteSpan options = {}) {
  Frame f(kIpv4);
  f[0] = 0x45;
  f[8] = 64;
  f[9] = IPPROTO_TCP;
  const uint8_t addresses[] = {10, 77, 0, 99, 10, 77, 0, 2};
  std::copy(std::begin(addresses), std::end(addresses), &f[12]);
  AppendSyn(f, options);
  StoreBe16(&f[2], static_cast<uint16_t>(f.size()));
  SetIpv4Checksum(f);
  SetTcpChecksum(f, kIpv4, addresses);
  return f;
}

Frame Syn6(ByteSpan options = {}) {
  Frame f(kIpv6);
  f[0] = 0x60;
  f[6] = IPPROTO_TCP;
  f[7] = 64;
  const IpAddress source = *IpAddress::Parse("fd77::99");
  const IpAddress destination = *IpAddress::Parse("fd77::2");
  std::copy_n(source.bytes().data(), 16, &f[8]);
  std::copy_n(destination.bytes().data(), 16, &f[24]);
  AppendSyn(f, options);
  StoreBe16(&f[4], static_cast<uint16_t>(f.size() - kIpv6));
  SetTcpChecksum(f, kIpv6, ByteSpan(&f[8], 32));
  return f;
}

class TunMalformed : public TunTest {
 protected:
  void SetUp() override {
    TunTest::SetUp();
    if (IsSkipped()) return;
    packet_ = KernelSocket(socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0));
    if (!packet_.ok()) GTEST_SKIP() << "no packet sockets";
    // The kernel's own chatter (router solicitations) must not be counted.
    before_ = Stats();
  }

  // Gives the frame to the device as if the kernel had routed it there.
  void Inject(ByteSpan frame) {
    sockaddr_ll to = {};
    to.sll_family = AF_PACKET;
    to.sll_protocol = htons(frame[0] >> 4 == 6 ? ETH_P_IPV6 : ETH_P_IP);
    to.sll_ifindex = static_cast<int>(if_nametoindex(device_.c_str()));
    ASSERT_EQ(sendto(packet_.fd(), frame.data(), frame.size(), 0,
                     reinterpret_cast<sockaddr*>(&to), sizeof to),
              static_cast<ssize_t>(frame.size()));
  }

  static uint64_t Dropped(const reply::Stats& stats) {
    return std::accumulate(stats.stack.dropped.begin(),
                           stats.stack.dropped.end(), uint64_t{0}) +
           stats.link.bad_frames_in;
  }
  // All of `count` frames were dropped and counted.
  void ExpectDropped(uint64_t count) {
    const uint64_t want = Dropped(before_) + count;
    EXPECT_TRUE(Eventually([&](const reply::Stats& stats) {
      return Dropped(stats) >= want;
    })) << "dropped "
        << Dropped(Stats()) - Dropped(before_) << " of " << count;
  }

  KernelSocket packet_;
  reply::Stats before_;
};

TEST_F(TunMalformed, AProperSynIsAnsweredAndNotDropped) {
  Inject(Syn4());
  Inject(Syn6());
  EXPECT_TRUE(Eventually([](const reply::Stats& stats) {
    return stats.stack.tcp_half_open == 2;
  }));
}

// [fault L10]
TEST_F(TunMalformed, FramesCutAnywhereAreDropped) {
  uint64_t count = 0;
  for (const Frame& whole : {Syn4(), Syn6()}) {
    for (size_t size = 1; size < whole.size(); ++size, ++count) {
      Inject(ByteSpan(whole).first(size));
    }
  }
  ExpectDropped(count);
  EXPECT_EQ(Stats().stack.tcp_half_open, 0u);
  ExpectAlive();
}

TEST_F(TunMalformed, WrongLengthsAndChecksumsAreDropped) {
  const std::pair<const char*, std::function<void(Frame&)>> damages[] = {
      {"version 5", [](Frame& f) { f[0] = 0x55; }},
      {"header length 16", [](Frame& f) { f[0] = 0x44; }},
      {"header length beyond the packet", [](Frame& f) { f[0] = 0x4f; }},
      {"total length 0",
       [](Frame& f) {
         StoreBe16(&f[2], 0);
         SetIpv4Checksum(f);
       }},
      {"total length beyond the frame",
       [](Frame& f) {
         StoreBe16(&f[2], 1000);
         SetIpv4Checksum(f);
       }},
      {"total length below the header",
       [](Frame& f) {
         StoreBe16(&f[2], 19);
         SetIpv4Checksum(f);
       }},
      {"header checksum", [](Frame& f) { f[10] ^= 1; }},
      {"TCP checksum", [](Frame& f) { f[kIpv4 + 16] ^= 1; }},
      {"TCP header length 16",
       [](Frame& f) {
         f[kIpv4 + 12] = 0x40;
         SetTcpChecksum(f, kIpv4, ByteSpan(&f[12], 8));
       }},
      {"TCP header beyond the packet",
       [](Frame& f) {
         f[kIpv4 + 12] = 0xf0;
         SetTcpChecksum(f, kIpv4, ByteSpan(&f[12], 8));
       }},
      {"source is broadcast",
       [](Frame& f) {
         StoreBe32(&f[12], 0xffffffff);
         SetIpv4Checksum(f);
         SetTcpChecksum(f, kIpv4, ByteSpan(&f[12], 8));
       }},
  };
  for (const auto& [name, damage] : damages) {
    SCOPED_TRACE(name);
    before_ = Stats();
    Frame frame = Syn4();
    damage(frame);
    Inject(frame);
    ExpectDropped(1);
  }
  EXPECT_EQ(Stats().stack.tcp_half_open, 0u);
  ExpectAlive();
}

TEST_F(TunMalformed, OptionGarbageNeverHurts) {
  const Frame options[] = {
      {2, 0, 0, 0},      // length 0
      {2, 1, 0, 0},      // length 1
      {2, 40, 5, 180},   // beyond the header
      {3, 3, 255, 0},    // window scale 255
      {8, 10, 0, 0},     // timestamps cut short
      {5, 3, 0, 0},      // SACK of odd length
      {254, 2, 253, 2},  // experimental
      {1, 1, 1, 2},      // kind without a length at the very end
      {0, 2, 4, 5},      // bytes behind the end of the list
      {2, 4, 0, 0},      // MSS 0
      Frame(40, 1),     Frame(40, 2), Frame(40, 0xff),
  };
  for (const Frame& o : options) {
    Inject(Syn4(o));
    Inject(Syn6(o));
  }
  ExpectAlive();
}

TEST_F(TunMalformed, RandomDamageNeverHurts) {
  constexpr uint64_t kSeed = 20240601;
  SeededRng rng(kSeed);
  for (int i = 0; i < 20'000; ++i) {
    Frame frame = i % 2 == 0 ? Syn4({}) : Syn6({});
    const uint32_t flips = 1 + rng.Below(4);
    for (uint32_t n = 0; n < flips; ++n) {
      frame[rng.Below(static_cast<uint32_t>(frame.size()))] ^=
          static_cast<uint8_t>(1 + rng.Below(255));
    }
    frame.resize(1 + rng.Below(static_cast<uint32_t>(frame.size() + 20)));
    Inject(frame);
    if (HasFatalFailure()) FAIL() << "seed " << kSeed << " round " << i;
  }
  ExpectAlive();
}

}  // namespace
}  // namespace tcpip
