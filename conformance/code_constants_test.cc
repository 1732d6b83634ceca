#include "conformance/code_constants.h"

#include <optional>

#include "gtest/gtest.h"

namespace conformance {
namespace {

TEST(CodeConstants, StatesHaveLinuxNumbersUnderEveryName) {
  for (const char* name :
       {"TCP_ESTABLISHED", "TCPS_ESTABLISHED", "TCPI_ESTABLISHED"}) {
    EXPECT_EQ(FindCodeConstant(name), 1) << name;
  }
  EXPECT_EQ(FindCodeConstant("TCP_SYN_RECV"), 3);
  EXPECT_EQ(FindCodeConstant("TCPS_SYN_RECEIVED"), 3);
  EXPECT_EQ(FindCodeConstant("TCPS_FIN_WAIT_2"), 5);
  EXPECT_EQ(FindCodeConstant("TCP_CLOSE"), 7);
  EXPECT_EQ(FindCodeConstant("TCP_CLOSING"), 11);
}

TEST(CodeConstants, CongestionStatesAndOptions) {
  EXPECT_EQ(FindCodeConstant("TCP_CA_Open"), 0);
  EXPECT_EQ(FindCodeConstant("TCP_CA_Loss"), 4);
  EXPECT_EQ(FindCodeConstant("TCPI_OPT_TIMESTAMPS"), 1);
  EXPECT_EQ(FindCodeConstant("TCPI_OPT_SYN_DATA"), 32);
  EXPECT_EQ(FindCodeConstant("TCP_INFINITE_SSTHRESH"), 0x7fffffff);
}

TEST(CodeConstants, OtherNamesAreUnknown) {
  for (const char* name : {"", "ESTABLISHED", "TCP_", "TCP_NODELAY", "TCPX"}) {
    EXPECT_EQ(FindCodeConstant(name), std::nullopt) << name;
  }
}

}  // namespace
}  // namespace conformance
