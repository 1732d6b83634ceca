#include "conformance/posix_options.h"

#include <string>
#include <vector>

#include "conformance/linux_constants.h"
#include "gtest/gtest.h"

namespace conformance {
namespace {

using call::Linger;
using call::OptionValue;

constexpr SocketFacts kTcp4 = {.is_tcp = true, .is_ipv6 = false};
constexpr SocketFacts kTcp6 = {.is_tcp = true, .is_ipv6 = true};
constexpr SocketFacts kBound6 = {
    .is_tcp = true, .is_ipv6 = true, .is_bound = true};
constexpr SocketFacts kUdp = {.is_tcp = false, .is_ipv6 = false};

constexpr int kSocket = Linux("SOL_SOCKET");
constexpr int kTcp = Linux("SOL_TCP");
constexpr int kIpv6 = Linux("SOL_IPV6");

struct Case {
  const char* name;
  int level;
  int option;
  OptionValue value;
  int error = 0;        // of setting
  OptionValue now = 0;  // what getting it says then
  SocketFacts facts = kTcp4;
};

const Case kCases[] = {
    {"ReuseAddress", kSocket, Linux("SO_REUSEADDR"), 7, 0, 1},
    {"ReusePort", kSocket, Linux("SO_REUSEPORT"), 1, 0, 1},
    {"Keepalive", kSocket, Linux("SO_KEEPALIVE"), 1, 0, 1},
    {"KeepaliveOff", kSocket, Linux("SO_KEEPALIVE"), 0, 0, 0},
    // Linux doubles what is asked for.
    {"SendBuffer", kSocket, Linux("SO_SNDBUF"), 5000, 0, 10000},
    {"SmallSendBuffer", kSocket, Linux("SO_SNDBUF"), 1, 0, 4608},
    {"LargeSendBuffer", kSocket, Linux("SO_SNDBUF"), 1 << 30, 0, 425984},
    {"ReceiveBuffer", kSocket, Linux("SO_RCVBUF"), 5000, 0, 10000},
    {"SmallReceiveBuffer", kSocket, Linux("SO_RCVBUF"), 1, 0, 2304},
    {"NegativeReceiveBuffer", kSocket, Linux("SO_RCVBUF"), -1, 0, 425984},
    {"LingerZero", kSocket, Linux("SO_LINGER"), Linger{5, 0}, 0, Linger{1, 0}},
    {"LingerOff", kSocket, Linux("SO_LINGER"), Linger{0, 9}, 0, Linger{0, 0}},
    {"LingerOfAnotherKind", kSocket, Linux("SO_LINGER"), 1, Linux("EINVAL"),
     Linger{}},
    {"ErrorIsReadOnly", kSocket, Linux("SO_ERROR"), 1, Linux("ENOPROTOOPT"), 0},
    {"NoDelay", kTcp, Linux("TCP_NODELAY"), 1, 0, 1},
    {"Idle", kTcp, Linux("TCP_KEEPIDLE"), 30, 0, 30},
    {"IdleZero", kTcp, Linux("TCP_KEEPIDLE"), 0, Linux("EINVAL"), 7200},
    {"IdleTooLong", kTcp, Linux("TCP_KEEPIDLE"), 32768, Linux("EINVAL"), 7200},
    {"Interval", kTcp, Linux("TCP_KEEPINTVL"), 32767, 0, 32767},
    {"Count", kTcp, Linux("TCP_KEEPCNT"), 127, 0, 127},
    {"CountTooLarge", kTcp, Linux("TCP_KEEPCNT"), 128, Linux("EINVAL"), 9},
    {"UserTimeout", kTcp, Linux("TCP_USER_TIMEOUT"), 1500, 0, 1500},
    {"UserTimeoutNegative", kTcp, Linux("TCP_USER_TIMEOUT"), -1,
     Linux("EINVAL"), 0},
    {"Congestion", kTcp, Linux("TCP_CONGESTION"), "reno", 0, "reno"},
    {"V6Only", kIpv6, Linux("IPV6_V6ONLY"), 1, 0, 1, kTcp6},
    {"V6OnlyTooLate", kIpv6, Linux("IPV6_V6ONLY"), 1, Linux("EINVAL"), 0,
     kBound6},
};

class Option : public testing::TestWithParam<Case> {};

TEST_P(Option, IsSetAndReadBack) {
  const Case& c = GetParam();
  SocketOptions options;
  const CallResult set = SetOption(
      {.level = c.level, .name = c.option, .value = c.value}, c.facts, options);
  EXPECT_EQ(set.error, c.error);
  EXPECT_EQ(set.unsupported, "");
  const CallResult got =
      GetOption({.level = c.level, .name = c.option}, c.facts, options);
  EXPECT_EQ(got.value, 0);
  EXPECT_EQ(got.option, c.now);
}

INSTANTIATE_TEST_SUITE_P(PosixOptions, Option, testing::ValuesIn(kCases),
                         [](const auto& info) { return info.param.name; });

struct RefusedCase {
  const char* name;
  int level;
  int option;
  OptionValue value;
  std::string unsupported;  // else:
  int error_of_set = 0;
  int error_of_get = 0;
  SocketFacts facts = kTcp4;
};

const RefusedCase kRefused[] = {
    {"Cork", kTcp, Linux("TCP_CORK"), 1, "option TCP_CORK"},
    {"MaxSegment", kTcp, Linux("TCP_MAXSEG"), 1, "option TCP_MAXSEG"},
    {"Linger2", kTcp, Linux("TCP_LINGER2"), 1, "option TCP_LINGER2"},
    {"DeferAccept", kTcp, Linux("TCP_DEFER_ACCEPT"), 1,
     "option TCP_DEFER_ACCEPT"},
    {"QuickAck", kTcp, Linux("TCP_QUICKACK"), 1, "option TCP_QUICKACK"},
    {"NotSentLowat", kTcp, Linux("TCP_NOTSENT_LOWAT"), 1,
     "option TCP_NOTSENT_LOWAT"},
    {"SynCount", kTcp, Linux("TCP_SYNCNT"), 1, "option TCP_SYNCNT"},
    {"FastOpen", kTcp, Linux("TCP_FASTOPEN"), 1, "option TCP_FASTOPEN"},
    {"Ttl", Linux("SOL_IP"), Linux("IP_TTL"), 1, "option IP_TTL"},
    {"Tos", Linux("SOL_IP"), Linux("IP_TOS"), 1, "option IP_TOS"},
    {"TrafficClass", kIpv6, Linux("IPV6_TCLASS"), 1, "option IPV6_TCLASS", 0, 0,
     kTcp6},
    {"ErrorOfUdp", kSocket, Linux("SO_ERROR"), 1, "option SO_ERROR", 0, 0,
     kUdp},
    {"Unknown", kTcp, 999, 1, "", Linux("ENOPROTOOPT"), Linux("ENOPROTOOPT")},
    {"UnknownLevel", 77, 1, 1, "", Linux("ENOPROTOOPT"), Linux("ENOPROTOOPT")},
    {"OfTheOtherFamily", kIpv6, Linux("IPV6_V6ONLY"), 1, "",
     Linux("ENOPROTOOPT"), Linux("ENOPROTOOPT")},
    {"OfTheOtherProtocol", kTcp, Linux("TCP_NODELAY"), 1, "",
     Linux("ENOPROTOOPT"), Linux("EOPNOTSUPP"), kUdp},
};

class RefusedOption : public testing::TestWithParam<RefusedCase> {};

TEST_P(RefusedOption, IsNeverAcceptedInSilence) {
  const RefusedCase& c = GetParam();
  SocketOptions options;
  const CallResult set = SetOption(
      {.level = c.level, .name = c.option, .value = c.value}, c.facts, options);
  EXPECT_EQ(set.value, -1);
  EXPECT_EQ(set.unsupported, c.unsupported);
  EXPECT_EQ(set.error, c.error_of_set);
  const CallResult got =
      GetOption({.level = c.level, .name = c.option}, c.facts, options);
  EXPECT_EQ(got.value, -1);
  EXPECT_EQ(got.unsupported, c.unsupported);
  EXPECT_EQ(got.error, c.error_of_get);
}

INSTANTIATE_TEST_SUITE_P(PosixOptions, RefusedOption,
                         testing::ValuesIn(kRefused),
                         [](const auto& info) { return info.param.name; });

TEST(PosixOptions, SomeValuesAreNotSupported) {
  SocketOptions options;
  EXPECT_EQ(
      SetOption(
          {.level = kSocket, .name = Linux("SO_LINGER"), .value = Linger{1, 3}},
          kTcp4, options)
          .unsupported,
      "option SO_LINGER with a time");
  EXPECT_FALSE(options.AbortsOnClose());
  EXPECT_EQ(
      SetOption(
          {.level = kTcp, .name = Linux("TCP_CONGESTION"), .value = "bbr"},
          kTcp4, options)
          .unsupported,
      "congestion control bbr");
}

TEST(PosixOptions, HalfOfTheReceiveBufferIsWindow) {
  SocketOptions options;
  SetOption({.level = kSocket, .name = Linux("SO_RCVBUF"), .value = 5000},
            kTcp4, options);
  EXPECT_EQ(options.settings.receive_buffer_bytes, 5000u);
  SetOption({.level = kSocket, .name = Linux("SO_SNDBUF"), .value = 5000},
            kTcp4, options);
  EXPECT_EQ(options.settings.send_buffer_bytes, 10000u);
}

}  // namespace
}  // namespace conformance
