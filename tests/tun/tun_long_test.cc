// A gibibyte each way over a real TUN device; minutes on a slow machine.
#include <cstdint>
#include <string>

#include "gtest/gtest.h"
#include "tests/tun/transfer.h"
#include "tests/tun/tun_fixture.h"

namespace tcpip {
namespace {

constexpr uint64_t kGibibyte = uint64_t{1} << 30;

class TunLong : public TunPathTest {};

TEST_P(TunLong, AGibibyteEachWayKeepsItsSha256) {
  const std::string sha256 = PatternSha256(kGibibyte);
  KernelSocket echo = KernelSocket::Connected(Remote(bench::kEchoPort));
  ASSERT_TRUE(echo.ok());
  EXPECT_EQ(EchoSha256(echo, kGibibyte), sha256);
  KernelSocket source = KernelSocket::Connected(Remote(bench::kSourcePort));
  ASSERT_TRUE(source.ok());
  EXPECT_EQ(FetchSha256(source, kGibibyte), sha256);
}

INSTANTIATE_TEST_SUITE_P(Paths, TunLong, testing::ValuesIn(kTunPaths),
                         PathName);

}  // namespace
}  // namespace tcpip
