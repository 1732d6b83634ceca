#include "tcpip/transport/tcp/negotiated.h"

#include "gtest/gtest.h"

namespace tcpip::tcp {
namespace {

TEST(Negotiated, WithoutAnyOptionIsPlainTcp) {
  const Negotiated plain;
  // [RFC 9293 3.7.1 MUST-15] 536 where the peer named no MSS
  EXPECT_EQ(plain.smss, 536u);
  EXPECT_EQ(plain.snd_scale, WindowScale());
  EXPECT_EQ(plain.rcv_scale, WindowScale());
  EXPECT_FALSE(plain.sack || plain.timestamps || plain.ecn);
}

TEST(Negotiated, ComparesByValue) {
  Negotiated a;
  a.rcv_scale = WindowScale(7);
  EXPECT_NE(a, Negotiated());
  const Negotiated b = a;
  EXPECT_EQ(a, b);
}

}  // namespace
}  // namespace tcpip::tcp
