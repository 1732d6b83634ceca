#include "tcpip/transport/tcp/send/send_counters.h"

#include "gtest/gtest.h"

namespace tcpip::tcp {
namespace {

TEST(SendCounters, EachReachesItsOwnField) {
  TcpInfo info;
  SendCounters{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13}.Fill(info);
  EXPECT_EQ(info.octets_acked, 1u);
  EXPECT_EQ(info.octets_retrans, 2u);
  EXPECT_EQ(info.data_segs_out, 3u);
  EXPECT_EQ(info.segs_retrans, 4u);
  EXPECT_EQ(info.timeouts, 5u);
  EXPECT_EQ(info.fast_recoveries, 6u);
  EXPECT_EQ(info.ecn_reductions, 7u);
  EXPECT_EQ(info.dup_acks_in, 8u);
  EXPECT_EQ(info.dsacks_in, 9u);
  EXPECT_EQ(info.sack_blocks_in, 10u);
  EXPECT_EQ(info.rtt_samples_departure, 11u);
  EXPECT_EQ(info.rtt_samples_echo, 12u);
  EXPECT_EQ(info.zero_window_probes, 13u);
}

}  // namespace
}  // namespace tcpip::tcp
