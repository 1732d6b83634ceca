#include "tcpip/tun/tun_device.h"

#include <linux/if_tun.h>
#include <linux/sockios.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tcpip/tun/fake_tun_io.h"
#include "tcpip/tun/tun_offload.h"

namespace tcpip {
namespace {

absl::StatusOr<TunDevice> Open(FakeKernel& kernel,
                               const TunOptions& options = {}) {
  return OpenTun(options, std::make_unique<FakeTunIo>(kernel));
}

// The error's text names each of these.
void ExpectSays(const absl::StatusOr<TunDevice>& result,
                std::initializer_list<const char*> parts) {
  const std::string message(result.status().message());
  for (const char* part : parts) {
    EXPECT_NE(message.find(part), std::string::npos)
        << "no \"" << part << "\" in: " << message;
  }
}

bool Asked(const FakeKernel& kernel, unsigned long request) {
  return std::find(kernel.requests.begin(), kernel.requests.end(), request) !=
         kernel.requests.end();
}

// No interface of the name yet; the device then has this MTU.
FakeKernel FreshKernel(int mtu = 1500) {
  FakeKernel kernel;
  kernel.interface_answers[SIOCGIFINDEX] = [](ifreq&) { return -ENODEV; };
  kernel.interface_answers[SIOCGIFMTU] = [mtu](ifreq& request) {
    request.ifr_mtu = mtu;
    return 0;
  };
  return kernel;
}

TEST(TunDevice, NewDeviceGetsHeaderAndOffloads) {
  FakeKernel kernel = FreshKernel(1420);
  unsigned flags = 0;
  int header_size = 0;
  uintptr_t offloads = 0;
  kernel.tun_answers[TUNSETIFF] = [&](void* argument) {
    auto* request = static_cast<ifreq*>(argument);
    flags = static_cast<unsigned short>(request->ifr_flags);
    std::strcpy(request->ifr_name, "nst7");
    return 0;
  };
  kernel.tun_answers[TUNSETVNETHDRSZ] = [&](void* argument) {
    header_size = *static_cast<int*>(argument);
    return 0;
  };
  kernel.tun_answers[TUNSETOFFLOAD] = [&](void* argument) {
    offloads = reinterpret_cast<uintptr_t>(argument);
    return 0;
  };
  absl::StatusOr<TunDevice> device = Open(kernel, {.name = "nst%d"});
  ASSERT_TRUE(device.ok()) << device.status();
  EXPECT_EQ(device->name(), "nst7");
  EXPECT_EQ(device->mtu, 1420u);
  EXPECT_TRUE(device->created);
  EXPECT_TRUE(device->attachment.vnet_header());
  EXPECT_EQ(device->rx, kAllOffloads);
  EXPECT_EQ(flags, unsigned{IFF_TUN | IFF_NO_PI | IFF_VNET_HDR});
  EXPECT_EQ(header_size, 10);
  EXPECT_EQ(offloads, uintptr_t{TUN_F_CSUM | TUN_F_TSO4 | TUN_F_TSO6});
}

TEST(TunDevice, KernelWithoutHeaderGetsAPlainDevice) {
  FakeKernel kernel = FreshKernel();
  kernel.tun_answers[TUNSETIFF] = [](void* argument) {
    const auto* request = static_cast<ifreq*>(argument);
    return (request->ifr_flags & IFF_VNET_HDR) != 0 ? -EINVAL : 0;
  };
  absl::StatusOr<TunDevice> device = Open(kernel);
  ASSERT_TRUE(device.ok()) << device.status();
  EXPECT_FALSE(device->attachment.vnet_header());
  EXPECT_EQ(device->rx, LinkOffloads{});
}

TEST(TunDevice, RefusedOffloadsLeaveTheHeader) {
  FakeKernel kernel = FreshKernel();
  kernel.tun_answers[TUNSETOFFLOAD] = [](void* argument) {
    return argument != nullptr ? -EINVAL : 0;
  };
  absl::StatusOr<TunDevice> device = Open(kernel);
  ASSERT_TRUE(device.ok()) << device.status();
  EXPECT_TRUE(device->attachment.vnet_header());
  EXPECT_EQ(device->rx, LinkOffloads{});
}

// [fault L05] a switch that opens the device without any of it
TEST(TunDevice, OffloadOffAsksForNoHeader) {
  FakeKernel kernel = FreshKernel();
  kernel.tun_answers[TUNSETIFF] = [](void* argument) {
    const auto* request = static_cast<ifreq*>(argument);
    return (request->ifr_flags & IFF_VNET_HDR) != 0 ? -EPERM : 0;
  };
  absl::StatusOr<TunDevice> device = Open(kernel, {.offload = false});
  ASSERT_TRUE(device.ok()) << device.status();
  EXPECT_FALSE(device->attachment.vnet_header());
  EXPECT_EQ(device->rx, LinkOffloads{});
}

TEST(TunDevice, SetsMtuQueueAndUpOnlyWhenAsked) {
  FakeKernel untouched = FreshKernel();
  ASSERT_TRUE(Open(untouched, {.tx_queue_packets = 0}).ok());
  EXPECT_FALSE(Asked(untouched, SIOCSIFMTU));
  EXPECT_FALSE(Asked(untouched, SIOCSIFTXQLEN));
  EXPECT_FALSE(Asked(untouched, SIOCSIFFLAGS));

  FakeKernel kernel = FreshKernel(1500);
  int mtu = 0, queue = 0, flags = 0;
  kernel.interface_answers[SIOCSIFMTU] = [&](ifreq& r) {
    mtu = r.ifr_mtu;
    return 0;
  };
  kernel.interface_answers[SIOCSIFTXQLEN] = [&](ifreq& r) {
    queue = r.ifr_qlen;
    return 0;
  };
  kernel.interface_answers[SIOCGIFFLAGS] = [](ifreq& r) {
    r.ifr_flags = IFF_POINTOPOINT;
    return 0;
  };
  kernel.interface_answers[SIOCSIFFLAGS] = [&](ifreq& r) {
    flags = r.ifr_flags;
    return 0;
  };
  ASSERT_TRUE(Open(kernel, {.mtu = 9000, .bring_up = true}).ok());
  EXPECT_EQ(mtu, 9000);
  EXPECT_EQ(queue, 4096);
  EXPECT_EQ(flags, IFF_POINTOPOINT | IFF_UP);
}

struct QueueCase {
  const char* name;
  int length;       // before
  int read_result;  // of asking for it
  int set_result;
  std::vector<int> want_set;
};

const QueueCase kQueueCases[] = {
    {"Shorter", 500, 0, 0, {4096}},
    {"Same", 4096, 0, 0, {}},
    {"AnAdministratorsLonger", 10'000, 0, 0, {}},
    {"Refused", 500, 0, -EPERM, {4096}},
    {"OfAnotherNamespace", 0, -ENODEV, 0, {}},
};

// Whatever the kernel says, the device is opened.
TEST(TunDevice, ItsQueueIsMadeLongerNeverShorter) {
  for (const QueueCase& c : kQueueCases) {
    FakeKernel kernel = FreshKernel();
    std::vector<int> set;
    kernel.interface_answers[SIOCGIFTXQLEN] = [&c](ifreq& r) {
      r.ifr_qlen = c.length;
      return c.read_result;
    };
    kernel.interface_answers[SIOCSIFTXQLEN] = [&](ifreq& r) {
      set.push_back(r.ifr_qlen);
      return c.set_result;
    };
    const absl::StatusOr<TunDevice> device = Open(kernel);
    EXPECT_TRUE(device.ok()) << c.name << ": " << device.status();
    EXPECT_EQ(set, c.want_set) << c.name;
  }
}

// Its owner may attach to a device that root has set up, and nothing else.
TEST(TunDevice, WhatIsSetAlreadyIsNotSetAgain) {
  FakeKernel kernel = FreshKernel(1400);
  kernel.interface_answers[SIOCGIFFLAGS] = [](ifreq& r) {
    r.ifr_flags = IFF_UP;
    return 0;
  };
  for (const unsigned long denied : {SIOCSIFMTU, SIOCSIFFLAGS}) {
    kernel.interface_answers[denied] = [](ifreq&) { return -EPERM; };
  }
  const absl::StatusOr<TunDevice> device =
      Open(kernel, {.mtu = 1400, .bring_up = true});
  ASSERT_TRUE(device.ok()) << device.status();
  EXPECT_EQ(device->mtu, 1400u);
}

TEST(TunDevice, ExistingDeviceIsNotCalledCreated) {
  FakeKernel kernel = FreshKernel();
  kernel.interface_answers.erase(SIOCGIFINDEX);
  absl::StatusOr<TunDevice> device =
      Open(kernel, {.name = "vpn0", .must_exist = true});
  ASSERT_TRUE(device.ok()) << device.status();
  EXPECT_FALSE(device->created);
}

// Answers TUNGETIFF like a descriptor with these flags.
FakeKernel KernelWithFd(int flags) {
  FakeKernel kernel = FreshKernel();
  kernel.tun_answers[TUNGETIFF] = [flags](void* argument) {
    auto* request = static_cast<ifreq*>(argument);
    std::strcpy(request->ifr_name, "given0");
    request->ifr_flags = static_cast<short>(flags);
    return 0;
  };
  return kernel;
}

TEST(TunDevice, PassedDescriptorKeepsItsHeader) {
  FakeKernel kernel = KernelWithFd(IFF_TUN | IFF_NO_PI | IFF_VNET_HDR);
  absl::StatusOr<TunDevice> device = Open(kernel, {.fd = 5, .offload = false});
  ASSERT_TRUE(device.ok()) << device.status();
  EXPECT_EQ(device->name(), "given0");
  EXPECT_TRUE(device->attachment.vnet_header());
  EXPECT_EQ(device->rx, LinkOffloads{});
  EXPECT_FALSE(Asked(kernel, TUNSETIFF));
}

TEST(TunDevice, PassedDescriptorOfAnotherNamespaceHasTheUsualMtu) {
  FakeKernel kernel = KernelWithFd(IFF_TUN | IFF_NO_PI);
  kernel.interface_answers[SIOCGIFMTU] = [](ifreq&) { return -ENODEV; };
  absl::StatusOr<TunDevice> device = Open(kernel, {.fd = 5});
  ASSERT_TRUE(device.ok()) << device.status();
  EXPECT_FALSE(device->attachment.vnet_header());
  EXPECT_EQ(device->mtu, 1500u);
}

struct FailureCase {
  const char* name;
  void (*prepare)(FakeKernel&, TunOptions&);
  absl::StatusCode code;
  const char* says;    // the cause
  const char* remedy;  // and what to do
};

int Fail(int error) { return -error; }

const FailureCase kFailures[] = {
    {"NoModule",
     [](FakeKernel& k, TunOptions&) { k.open_result = Fail(ENOENT); },
     absl::StatusCode::kNotFound, "ENOENT", "modprobe tun"},
    {"NoDriverBehindTheFile",
     [](FakeKernel& k, TunOptions&) { k.open_result = Fail(ENODEV); },
     absl::StatusCode::kNotFound, "ENODEV", "modprobe tun"},
    {"FileNotReadable",
     [](FakeKernel& k, TunOptions&) { k.open_result = Fail(EACCES); },
     absl::StatusCode::kPermissionDenied, "EACCES", "0666"},
    {"NoCapability",
     [](FakeKernel& k, TunOptions&) {
       k.tun_answers[TUNSETIFF] = [](void*) { return -EPERM; };
     },
     absl::StatusCode::kPermissionDenied, "EPERM", "CAP_NET_ADMIN"},
    // [fault L18] "device busy" says by whom
    {"Busy",
     [](FakeKernel& k, TunOptions&) {
       k.tun_answers[TUNSETIFF] = [](void*) { return -EBUSY; };
     },
     absl::StatusCode::kUnavailable, "EBUSY", "another process holds"},
    {"InterfaceOfAnotherKind",
     [](FakeKernel& k, TunOptions&) {
       k.tun_answers[TUNSETIFF] = [](void*) { return -EINVAL; };
     },
     absl::StatusCode::kFailedPrecondition, "EINVAL", "another name"},
    {"MustExistAndDoesNot",
     [](FakeKernel&, TunOptions& o) { o.must_exist = true; },
     absl::StatusCode::kNotFound, "does not exist", "ip tuntap add"},
    {"MtuRefused",
     [](FakeKernel& k, TunOptions& o) {
       o.mtu = 10;
       k.interface_answers[SIOCSIFMTU] = [](ifreq&) { return -EINVAL; };
     },
     absl::StatusCode::kFailedPrecondition, "MTU 10", "EINVAL"},
    {"UpDenied",
     [](FakeKernel& k, TunOptions& o) {
       o.bring_up = true;
       k.interface_answers[SIOCSIFFLAGS] = [](ifreq&) { return -EPERM; };
     },
     absl::StatusCode::kPermissionDenied, "bring up", "ip link set nst0 up"},
};

class TunDeviceFailure : public testing::TestWithParam<FailureCase> {};

TEST_P(TunDeviceFailure, NamesDeviceCauseAndRemedy) {
  const FailureCase& c = GetParam();
  FakeKernel kernel = FreshKernel();
  TunOptions options;
  c.prepare(kernel, options);
  absl::StatusOr<TunDevice> device = Open(kernel, options);
  EXPECT_EQ(device.status().code(), c.code);
  ExpectSays(device, {"nst0", c.says, c.remedy});
}

INSTANTIATE_TEST_SUITE_P(Causes, TunDeviceFailure, testing::ValuesIn(kFailures),
                         [](const auto& row) { return row.param.name; });

struct FdFailureCase {
  const char* name;
  int flags;
  const char* says;
};

class TunFdFailure : public testing::TestWithParam<FdFailureCase> {};

TEST_P(TunFdFailure, IsAFailedPrecondition) {
  FakeKernel kernel = KernelWithFd(GetParam().flags);
  absl::StatusOr<TunDevice> device = Open(kernel, {.fd = 5});
  EXPECT_EQ(device.status().code(), absl::StatusCode::kFailedPrecondition);
  ExpectSays(device, {"given0", GetParam().says});
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, TunFdFailure,
    testing::Values(FdFailureCase{"Tap", IFF_TAP | IFF_NO_PI, "TAP"},
                    FdFailureCase{"PacketInformation", IFF_TUN, "IFF_NO_PI"}),
    [](const auto& row) { return row.param.name; });

TEST(TunDevice, DescriptorThatIsNoTunSaysSo) {
  FakeKernel kernel = FreshKernel();
  kernel.tun_answers[TUNGETIFF] = [](void*) { return -ENOTTY; };
  absl::StatusOr<TunDevice> device = Open(kernel, {.fd = 9});
  EXPECT_EQ(device.status().code(), absl::StatusCode::kFailedPrecondition);
  ExpectSays(device, {"fd 9", "ENOTTY"});
}

// --- Several queues

absl::StatusOr<std::vector<TunDevice>> OpenQueues(
    FakeKernel& kernel, size_t count, const TunOptions& options = {}) {
  return OpenTunQueues(options, count, [&kernel] {
    return std::make_unique<FakeTunIo>(kernel);
  });
}

TEST(TunQueues, AreAttachedByTheNameTheKernelGave) {
  FakeKernel kernel = FreshKernel(1400);
  std::vector<std::pair<std::string, int>> attached;
  kernel.tun_answers[TUNSETIFF] = [&](void* argument) {
    auto* request = static_cast<ifreq*>(argument);
    attached.emplace_back(request->ifr_name, request->ifr_flags);
    std::strcpy(request->ifr_name, "nst4");
    return 0;
  };
  const auto queues = OpenQueues(kernel, 3, {.name = "nst%d"});
  ASSERT_TRUE(queues.ok()) << queues.status();
  const int flags = IFF_TUN | IFF_NO_PI | IFF_VNET_HDR | IFF_MULTI_QUEUE;
  EXPECT_EQ(attached, (std::vector<std::pair<std::string, int>>{
                          {"nst%d", flags}, {"nst4", flags}, {"nst4", flags}}));
  for (const TunDevice& queue : *queues) {
    EXPECT_EQ(queue.name(), "nst4");
    EXPECT_EQ(queue.mtu, 1400u);
    EXPECT_TRUE(queue.created);
    EXPECT_EQ(queue.tx, kAllOffloads);
  }
}

// [fault L01] asked once, while a device that is down drops what it takes
TEST(TunQueues, WhatTheKernelRefusesAtTheStartIsLeftToItByNoQueue) {
  for (const size_t count : {1u, 2u}) {
    FakeKernel kernel = FreshKernel();
    kernel.interface_answers[SIOCGIFFLAGS] = [](ifreq& r) {
      r.ifr_flags = 0;
      return 0;
    };
    kernel.write_results = {-EINVAL, -EIO};
    size_t unasked_when_up = 99;
    kernel.interface_answers[SIOCSIFFLAGS] = [&](ifreq&) {
      if (unasked_when_up == 99) unasked_when_up = kernel.write_results.size();
      return 0;
    };
    const auto queues = OpenQueues(kernel, count, {.bring_up = true});
    ASSERT_TRUE(queues.ok()) << queues.status();
    EXPECT_EQ(unasked_when_up, 0u);
    EXPECT_TRUE(kernel.write_results.empty());
    EXPECT_TRUE(kernel.written.empty());
    ASSERT_EQ(queues->size(), count);
    for (const TunDevice& queue : *queues) {
      EXPECT_EQ(queue.tx, (LinkOffloads{.checksum = true, .tso6 = true}));
      EXPECT_EQ(queue.rx, kAllOffloads);
    }
  }
}

TEST(TunQueues, OneIsADeviceForOne) {
  FakeKernel kernel = FreshKernel();
  int flags = 0;
  kernel.tun_answers[TUNSETIFF] = [&](void* argument) {
    flags = static_cast<ifreq*>(argument)->ifr_flags;
    return 0;
  };
  EXPECT_TRUE(OpenQueues(kernel, 1).ok());
  EXPECT_EQ(flags & IFF_MULTI_QUEUE, 0);
}

TEST(TunQueues, PassedDescriptorsMustBelongTogether) {
  FakeKernel kernel = FreshKernel();
  std::vector<std::string> names = {"a0", "a0", "b0"};
  kernel.tun_answers[TUNGETIFF] = [&](void* argument) {
    auto* request = static_cast<ifreq*>(argument);
    std::strcpy(request->ifr_name, names.front().c_str());
    names.erase(names.begin());
    request->ifr_flags = IFF_TUN | IFF_NO_PI | IFF_MULTI_QUEUE;
    return 0;
  };
  const auto adopt = [&kernel](std::vector<int> fds) {
    return AdoptTunQueues(
        {}, fds, [&kernel] { return std::make_unique<FakeTunIo>(kernel); });
  };
  const auto pair = adopt({5, 6});
  ASSERT_TRUE(pair.ok()) << pair.status();
  EXPECT_EQ(pair->size(), 2u);
  names = {"a0", "b0"};
  const auto strangers = adopt({5, 6});
  EXPECT_EQ(strangers.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_NE(strangers.status().message().find("fd 6 is a queue of b0"),
            std::string::npos);
}

// The kernel would let two processes share it, and each would miss packets.
TEST(TunDevice, ADeviceThatSomebodyHoldsIsRefused) {
  FakeKernel kernel;
  kernel.holder = "process 12 (netstackd)";
  const absl::StatusOr<TunDevice> device = Open(kernel);
  EXPECT_EQ(device.status().code(), absl::StatusCode::kUnavailable);
  ExpectSays(device, {"nst0", "process 12 (netstackd) holds"});
  EXPECT_FALSE(Asked(kernel, TUNSETIFF));
}

// --- A device that changes

// [fault L12] the same descriptor, set up as at first; nothing is made
TEST(TunDevice, ADeviceThatCameBackIsAttachedAndSetUp) {
  FakeKernel kernel = FreshKernel(1400);
  absl::StatusOr<TunDevice> device = Open(kernel, {.bring_up = true});
  ASSERT_TRUE(device.ok()) << device.status();
  kernel.requests.clear();
  EXPECT_EQ(ReopenTun(*device).code(), absl::StatusCode::kNotFound);
  EXPECT_FALSE(Asked(kernel, TUNSETIFF));

  kernel.interface_answers.erase(SIOCGIFINDEX);
  kernel.interface_answers[SIOCGIFMTU] = [](ifreq& r) {
    r.ifr_mtu = 1300;
    return 0;
  };
  EXPECT_TRUE(ReopenTun(*device).ok());
  EXPECT_EQ(device->mtu, 1300u);
  for (const unsigned long request :
       {static_cast<unsigned long>(TUNSETIFF), TUNSETVNETHDRSZ, TUNSETOFFLOAD,
        static_cast<unsigned long>(SIOCSIFTXQLEN),
        static_cast<unsigned long>(SIOCSIFFLAGS)}) {
    EXPECT_TRUE(Asked(kernel, request)) << request;
  }
}

TEST(TunDevice, ADeviceThatIsHeldByAnotherIsNotBack) {
  FakeKernel kernel = FreshKernel();
  absl::StatusOr<TunDevice> device = Open(kernel);
  ASSERT_TRUE(device.ok());
  kernel.interface_answers.erase(SIOCGIFINDEX);
  kernel.tun_answers[TUNSETIFF] = [](void*) { return -EBUSY; };
  EXPECT_EQ(ReopenTun(*device).code(), absl::StatusCode::kUnavailable);
}

class TunName : public testing::TestWithParam<const char*> {};

TEST_P(TunName, IsRefusedBeforeAnyCall) {
  FakeKernel kernel = FreshKernel();
  absl::StatusOr<TunDevice> device = Open(kernel, {.name = GetParam()});
  EXPECT_EQ(device.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_TRUE(kernel.requests.empty());
}

INSTANTIATE_TEST_SUITE_P(Names, TunName,
                         testing::Values("", "sixteen-letters!", ".", "..",
                                         "a/b", "a b", "a:b", "nst%s", "nst%",
                                         "n%d%d"));

TEST(TunDevice, FifteenLettersAreAName) {
  FakeKernel kernel = FreshKernel();
  EXPECT_TRUE(Open(kernel, {.name = "fifteen-letters"}).ok());
}

}  // namespace
}  // namespace tcpip
