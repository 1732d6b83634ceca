#include "tcpip/tun/tun_offload.h"

#include <linux/if_tun.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>

#include "gtest/gtest.h"
#include "tcpip/tun/fake_tun_io.h"
#include "tcpip/wire/virtio_net.h"

namespace tcpip {
namespace {

class TunOffloadTest : public testing::Test {
 protected:
  void DeviceIs(int flags) {
    kernel_.interface_answers[SIOCGIFFLAGS] = [flags](ifreq& request) {
      request.ifr_flags = static_cast<short>(flags);
      return 0;
    };
  }

  FakeKernel kernel_;
  FakeTunIo io_{kernel_};
};

// [fault L03] whatever is asked for, segmentation of UDP is not
TEST_F(TunOffloadTest, TheKernelIsToldFeatureByFeature) {
  struct Row {
    LinkOffloads rx;
    unsigned flags;
  };
  const Row rows[] = {
      {{}, 0},
      {{.checksum = true}, TUN_F_CSUM},
      {{.checksum = true, .tso4 = true}, TUN_F_CSUM | TUN_F_TSO4},
      {{.checksum = true, .tso6 = true}, TUN_F_CSUM | TUN_F_TSO6},
      {kAllOffloads, TUN_F_CSUM | TUN_F_TSO4 | TUN_F_TSO6}};
  uintptr_t asked = 99;
  kernel_.tun_answers[TUNSETOFFLOAD] = [&](void* argument) {
    asked = reinterpret_cast<uintptr_t>(argument);
    return 0;
  };
  for (const Row& row : rows) {
    EXPECT_TRUE(SetReceiveOffloads(io_, row.rx));
    EXPECT_EQ(asked, row.flags);
  }
}

TEST_F(TunOffloadTest, ARefusalIsToldApart) {
  kernel_.tun_answers[TUNSETOFFLOAD] = [](void*) { return -EINVAL; };
  EXPECT_FALSE(SetReceiveOffloads(io_, kAllOffloads));
}

TEST_F(TunOffloadTest, SegmentationNeedsTheChecksum) {
  EXPECT_TRUE(CheckOffloads({}).ok());
  EXPECT_TRUE(CheckOffloads(kAllOffloads).ok());
  EXPECT_TRUE(CheckOffloads({.checksum = true}).ok());
  EXPECT_FALSE(CheckOffloads({.tso4 = true}).ok());
  EXPECT_FALSE(CheckOffloads({.tso6 = true}).ok());
}

// [fault L09]
TEST_F(TunOffloadTest, TheHeaderIsTenBytesLittleEndian) {
  int size = 0, little_endian = 0;
  kernel_.tun_answers[TUNSETVNETHDRSZ] = [&](void* argument) {
    size = *static_cast<int*>(argument);
    return 0;
  };
  kernel_.tun_answers[TUNSETVNETLE] = [&](void* argument) {
    little_endian = *static_cast<int*>(argument);
    return 0;
  };
  EXPECT_EQ(SetVnetHeader(io_), 0);
  EXPECT_EQ(size, 10);
  EXPECT_EQ(little_endian, 1);
}

// [fault L01] each family by itself, with the tail that is refused
TEST_F(TunOffloadTest, TheProbeFindsWhatTheKernelRefuses) {
  DeviceIs(0);
  kernel_.write_results = {-EINVAL, -EIO};
  EXPECT_EQ(ProbeTransmitOffloads(io_, "nst0", kAllOffloads),
            (LinkOffloads{.checksum = true, .tso6 = true}));
  kernel_.write_results = {-EIO, -EINVAL};
  EXPECT_EQ(ProbeTransmitOffloads(io_, "nst0", kAllOffloads),
            (LinkOffloads{.checksum = true, .tso4 = true}));
}

TEST_F(TunOffloadTest, ProbesAreSuperSegmentsWithAShortTail) {
  DeviceIs(0);
  EXPECT_EQ(ProbeTransmitOffloads(io_, "nst0", kAllOffloads), kAllOffloads);
  ASSERT_EQ(kernel_.written.size(), 2u);
  for (const auto& frame : kernel_.written) {
    const wire::VirtioNetHeader header = wire::LoadVirtioNet(frame.data());
    const size_t payload =
        frame.size() - wire::kVirtioNetHeaderSize - header.hdr_len;
    EXPECT_EQ(payload % header.gso_size, 1u);
  }
}

// It would be a packet on its way.
TEST_F(TunOffloadTest, ADeviceThatIsUpIsNotProbed) {
  DeviceIs(IFF_UP);
  EXPECT_EQ(ProbeTransmitOffloads(io_, "nst0", kAllOffloads), kAllOffloads);
  kernel_.interface_answers[SIOCGIFFLAGS] = [](ifreq&) { return -ENODEV; };
  EXPECT_EQ(ProbeTransmitOffloads(io_, "nst0", kAllOffloads), kAllOffloads);
  EXPECT_TRUE(kernel_.written.empty());
}

TEST_F(TunOffloadTest, OffloadsAreNamedInOrder) {
  EXPECT_EQ(ToString(LinkOffloads{}), "none");
  EXPECT_EQ(ToString(kAllOffloads), "checksum,tso4,tso6");
  EXPECT_EQ(ToString(LinkOffloads{.checksum = true, .tso6 = true}),
            "checksum,tso6");
}

}  // namespace
}  // namespace tcpip
