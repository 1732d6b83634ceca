#include "conformance/icmp_names.h"

#include "gtest/gtest.h"

namespace conformance {
namespace {

using tcpip::IpFamily;

TEST(IcmpNamesTest, EachFamilyHasItsOwnNumbers) {
  const auto v4 =
      IcmpNumbers(IpFamily::kIpv4, "unreachable", "port_unreachable");
  ASSERT_TRUE(v4);
  EXPECT_EQ(v4->type, 3);
  EXPECT_EQ(v4->code, 3);
  const auto v6 =
      IcmpNumbers(IpFamily::kIpv6, "unreachable", "port_unreachable");
  ASSERT_TRUE(v6);
  EXPECT_EQ(v6->type, 1);
  EXPECT_EQ(v6->code, 4);
  EXPECT_FALSE(IcmpNumbers(IpFamily::kIpv4, "packet_too_big", ""));
}

TEST(IcmpNamesTest, NumbersMayBeWrittenInDigits) {
  const auto numbers = IcmpNumbers(IpFamily::kIpv4, "3", "frag_needed");
  ASSERT_TRUE(numbers);
  EXPECT_EQ(numbers->type, 3);
  EXPECT_EQ(numbers->code, 4);
  EXPECT_FALSE(IcmpNumbers(IpFamily::kIpv4, "256", ""));
  EXPECT_FALSE(IcmpNumbers(IpFamily::kIpv4, "3x", ""));
  EXPECT_FALSE(IcmpNumbers(IpFamily::kIpv4, "unreachable", "no_such_code"));
}

TEST(IcmpNamesTest, EveryNumberHasANameThatLeadsBackToIt) {
  for (const IpFamily family : {IpFamily::kIpv4, IpFamily::kIpv6}) {
    for (int type = 0; type < 256; ++type) {
      for (int code = 0; code < 20; ++code) {
        const auto [type_name, code_name] = IcmpName(
            family, static_cast<uint8_t>(type), static_cast<uint8_t>(code));
        const auto numbers = IcmpNumbers(family, type_name, code_name);
        ASSERT_TRUE(numbers) << type_name << " " << code_name;
        EXPECT_EQ(numbers->type, type);
        EXPECT_EQ(numbers->code, code);
      }
    }
  }
}

}  // namespace
}  // namespace conformance
