#include "tcpip/network/drop_reason.h"

#include <set>
#include <string_view>

#include "gtest/gtest.h"

namespace tcpip {
namespace {

TEST(DropReason, EveryReasonHasItsOwnMetricName) {
  std::set<std::string_view> names;
  for (int i = 0; i < kDropReasonCount; ++i) {
    const std::string_view name = ToString(static_cast<DropReason>(i));
    EXPECT_FALSE(name.empty());
    EXPECT_EQ(name.find_first_not_of("abcdefghijklmnopqrstuvwxyz_"),
              std::string_view::npos)
        << name;
    EXPECT_TRUE(names.insert(name).second) << name;
  }
}

TEST(DropReason, NamesFollowTheEnum) {
  EXPECT_EQ(ToString(DropReason::kIpTruncated), "ip_truncated");
  EXPECT_EQ(ToString(DropReason::kTcpNoSocket), "tcp_no_socket");
  EXPECT_EQ(ToString(DropReason::kMemorySpent), "memory_spent");
}

}  // namespace
}  // namespace tcpip
