#include "conformance/tcp_info_fields.h"

#include <cstdint>

#include "conformance/linux_constants.h"
#include "gtest/gtest.h"
#include "tcpip/base/time.h"

namespace conformance {
namespace {

using tcpip::Duration;
using tcpip::tcp::RecoveryState;
using tcpip::tcp::TcpInfo;
using tcpip::tcp::TcpState;

TEST(TcpInfoFields, StatesHaveLinuxsNumbers) {
  const struct {
    TcpState state;
    const char* name;
  } kStates[] = {
      {TcpState::kClosed, "TCP_CLOSE"},
      {TcpState::kListen, "TCP_LISTEN"},
      {TcpState::kSynSent, "TCP_SYN_SENT"},
      {TcpState::kSynReceived, "TCP_SYN_RECV"},
      {TcpState::kEstablished, "TCP_ESTABLISHED"},
      {TcpState::kFinWait1, "TCP_FIN_WAIT1"},
      {TcpState::kFinWait2, "TCP_FIN_WAIT2"},
      {TcpState::kCloseWait, "TCP_CLOSE_WAIT"},
      {TcpState::kClosing, "TCP_CLOSING"},
      {TcpState::kLastAck, "TCP_LAST_ACK"},
      {TcpState::kTimeWait, "TCP_CLOSE"},
  };
  for (const auto& [state, name] : kStates) {
    EXPECT_EQ(LinuxState(state), ConstantNumber(name)) << name;
  }
}

TEST(TcpInfoFields, WindowsAndFlightAreInSegments) {
  TcpInfo info;
  info.smss = 1000;
  info.cwnd = 10'500;
  info.unacked_bytes = 2'001;
  InfoFields fields = InfoFieldsOf(info);
  EXPECT_EQ(fields["tcpi_snd_mss"], 1000);
  EXPECT_EQ(fields["tcpi_snd_cwnd"], 10);
  EXPECT_EQ(fields["tcpi_unacked"], 3);
  info.ssthresh = 7'000;
  EXPECT_EQ(InfoFieldsOf(info)["tcpi_snd_ssthresh"], 7);
  info.ssthresh = UINT32_MAX;  // none yet
  EXPECT_EQ(InfoFieldsOf(info)["tcpi_snd_ssthresh"], 0x7fffffff);
}

TEST(TcpInfoFields, TimesAreInMicroseconds) {
  TcpInfo info;
  info.rto = Duration::Milliseconds(200);
  info.srtt = Duration::Microseconds(1234);
  info.rttvar = Duration::Microseconds(55);
  info.min_rtt = Duration::Nanoseconds(1'999);
  InfoFields fields = InfoFieldsOf(info);
  EXPECT_EQ(fields["tcpi_rto"], 200'000);
  EXPECT_EQ(fields["tcpi_rtt"], 1234);
  EXPECT_EQ(fields["tcpi_rttvar"], 55);
  EXPECT_EQ(fields["tcpi_min_rtt"], 1);
}

TEST(TcpInfoFields, WhatWasNegotiatedIsInOneField) {
  TcpInfo info;
  EXPECT_EQ(InfoFieldsOf(info)["tcpi_options"], 0);
  info.sack = info.timestamps = true;
  info.rcv_scale = 7;
  EXPECT_EQ(InfoFieldsOf(info)["tcpi_options"], 7);
  info.ecn = true;
  EXPECT_EQ(InfoFieldsOf(info)["tcpi_options"], 15);
  EXPECT_EQ(InfoFieldsOf(info)["tcpi_rcv_wscale"], 7);
}

TEST(TcpInfoFields, RecoveryHasLinuxsNumbers) {
  const auto number = [](RecoveryState recovery) {
    TcpInfo info;
    info.recovery = recovery;
    return InfoFieldsOf(info)["tcpi_ca_state"];
  };
  EXPECT_EQ(number(RecoveryState::kOpen), Linux("TCP_CA_Open"));
  EXPECT_EQ(number(RecoveryState::kDisorder), Linux("TCP_CA_Disorder"));
  EXPECT_EQ(number(RecoveryState::kRecovery), Linux("TCP_CA_Recovery"));
  EXPECT_EQ(number(RecoveryState::kLoss), Linux("TCP_CA_Loss"));
}

TEST(TcpInfoFields, WhatIsNotKnownIsNotThere) {
  const InfoFields fields = InfoFieldsOf(TcpInfo());
  EXPECT_EQ(fields.count("tcpi_reordering"), 0u);
  EXPECT_EQ(fields.count("tcpi_snd_cwnd"), 0u);  // before the MSS is settled
}

}  // namespace
}  // namespace conformance
