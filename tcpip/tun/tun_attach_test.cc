#include "tcpip/tun/tun_attach.h"

#include <linux/if_tun.h>
#include <sys/ioctl.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tcpip/tun/fake_tun_io.h"

namespace tcpip {
namespace {

constexpr int kPlain = IFF_TUN | IFF_NO_PI;

struct AttachCase {
  const char* name;
  bool vnet_header;
  bool multi_queue;
  int known;               // flags the kernel, or the existing device, takes
  std::vector<int> tried;  // beside IFF_TUN and IFF_NO_PI, in this order
};

const AttachCase kAttachCases[] = {
    {"New", true, false, IFF_VNET_HDR, {IFF_VNET_HDR}},
    {"NewForSeveral",
     true,
     true,
     IFF_VNET_HDR | IFF_MULTI_QUEUE,
     {IFF_VNET_HDR | IFF_MULTI_QUEUE}},
    {"PlainWhenAskedFor", false, false, 0, {0}},  // [fault L05]
    {"MadeForSeveralAndTakenByOne",
     true,
     false,
     IFF_VNET_HDR | IFF_MULTI_QUEUE,
     {IFF_VNET_HDR, IFF_VNET_HDR | IFF_MULTI_QUEUE}},
    {"KernelWithoutTheHeader",
     true,
     false,
     0,
     {IFF_VNET_HDR, IFF_VNET_HDR | IFF_MULTI_QUEUE, 0}},
    {"KernelWithoutTheHeaderForSeveral",
     true,
     true,
     IFF_MULTI_QUEUE,
     {IFF_VNET_HDR | IFF_MULTI_QUEUE, IFF_MULTI_QUEUE}},
};

class TunAttach : public testing::TestWithParam<AttachCase> {};

TEST_P(TunAttach, AsksForLessUntilTheKernelAgrees) {
  const AttachCase& c = GetParam();
  FakeKernel kernel;
  std::vector<int> tried;
  kernel.tun_answers[TUNSETIFF] = [&](void* argument) {
    const int extra = static_cast<ifreq*>(argument)->ifr_flags & ~kPlain;
    tried.push_back(extra);
    return extra == c.known ? 0 : -EINVAL;
  };
  FakeTunIo io(kernel);
  const absl::StatusOr<TunAttachment> attachment =
      AttachTun(io, "nst0", c.vnet_header, c.multi_queue);
  ASSERT_TRUE(attachment.ok()) << attachment.status();
  EXPECT_EQ(tried, c.tried);
  EXPECT_EQ(attachment->flags, kPlain | c.known);
  EXPECT_EQ(attachment->vnet_header(), (c.known & IFF_VNET_HDR) != 0);
}

INSTANTIATE_TEST_SUITE_P(Devices, TunAttach, testing::ValuesIn(kAttachCases),
                         [](const auto& row) { return row.param.name; });

struct RefusalCase {
  int error;
  bool multi_queue;
  const char* holder;
  absl::StatusCode code;
  const char* remedy;
};

const RefusalCase kRefusals[] = {
    {EPERM, false, "", absl::StatusCode::kPermissionDenied, "CAP_NET_ADMIN"},
    // [fault L18] "device busy" says by whom
    {EBUSY, false, "process 7 (vpnd)", absl::StatusCode::kUnavailable,
     "process 7 (vpnd) holds the device"},
    {EBUSY, false, "", absl::StatusCode::kUnavailable,
     "another process holds the device"},
    {EINVAL, false, "", absl::StatusCode::kFailedPrecondition,
     "is not a TUN device; choose another name"},
    {EINVAL, true, "", absl::StatusCode::kFailedPrecondition,
     "ip tuntap add dev nst0 mode tun multi_queue"},
    {E2BIG, true, "", absl::StatusCode::kFailedPrecondition,
     "as many queues as there can be"},
};

TEST(TunAttach, RefusalsSayWhatToDo) {
  for (const RefusalCase& c : kRefusals) {
    FakeKernel kernel;
    kernel.holder = c.holder;
    kernel.tun_answers[TUNSETIFF] = [&c](void*) { return -c.error; };
    FakeTunIo io(kernel);
    const absl::Status status =
        AttachTun(io, "nst0", true, c.multi_queue).status();
    EXPECT_EQ(status.code(), c.code);
    EXPECT_NE(status.message().find(c.remedy), std::string::npos) << status;
  }
}

struct AgainCase {
  int flags;  // as it was attached before, beside kPlain
  int known;  // what the device of that name takes now; -1: none of it
  const char* problem;
};

// [fault L12] [fault L16] nobody waits for what will never do without a word
TEST(TunAttach, ADeviceThatIsBackIsTakenOrSaysWhyNot) {
  const AgainCase cases[] = {
      {0, 0, ""},
      {IFF_MULTI_QUEUE, IFF_MULTI_QUEUE, ""},
      {0, IFF_MULTI_QUEUE, ""},  // one queue of several will do
      {IFF_MULTI_QUEUE, 0,
       "nst0: exists again but is not a multi-queue TUN; make it with ip "
       "tuntap "
       "add dev nst0 mode tun multi_queue"},
      {0, -1,
       "nst0: exists again but is not a TUN; make it with ip tuntap add dev "
       "nst0 mode tun"},
  };
  for (const AgainCase& c : cases) {
    FakeKernel kernel;
    kernel.tun_answers[TUNSETIFF] = [&c](void* argument) {
      const int extra = static_cast<ifreq*>(argument)->ifr_flags & ~kPlain;
      std::strcpy(static_cast<ifreq*>(argument)->ifr_name, "nst0");
      return extra == c.known ? 0 : -EINVAL;
    };
    FakeTunIo io(kernel);
    TunAttachment attachment = {"nst0",
                                static_cast<unsigned short>(kPlain | c.flags)};
    const absl::Status status = ReattachTun(io, attachment);
    EXPECT_EQ(status.message(),
              *c.problem == 0 ? "" : absl::StrCat("tun device ", c.problem));
    EXPECT_EQ(attachment.flags, kPlain | (status.ok() ? c.known : c.flags));
  }
}

}  // namespace
}  // namespace tcpip
