// A gibibyte each way over a real TUN device; minutes on a slow machine.
#include <cstdint>

#include "gtest/gtest.h"
#include "tests/tun/transfer.h"
#include "tests/tun/tun_fixture.h"

namespace tcpip {
namespace {

constexpr uint64_t kGibibyte = uint64_t{1} << 30;

class TunLong : public TunPathTest {};

TEST_P(TunLong, AGibibyteEachWayKeepsEveryByte) {
  KernelSocket echo = KernelSocket::Connected(Remote(bench::kEchoPort));
  ASSERT_TRUE(echo.ok());
  EXPECT_EQ(EchoPattern(echo, kGibibyte), kGibibyte);
  KernelSocket source = KernelSocket::Connected(Remote(bench::kSourcePort));
  ASSERT_TRUE(source.ok());
  EXPECT_EQ(FetchPattern(source, kGibibyte), kGibibyte);
}

INSTANTIATE_TEST_SUITE_P(Paths, TunLong, testing::ValuesIn(kTunPaths),
                         PathName);

}  // namespace
}  // namespace tcpip
