#include "tcpip/transport/tcp/congestion/ecn_signal.h"

#include <cstdint>

#include "gtest/gtest.h"

namespace tcpip::tcp {
namespace {

constexpr bool kEce = true;

// [RFC 3168 6.1.2]
TEST(EcnSignal, OneReductionForAWindowOfData) {
  for (const uint32_t start : {0u, 0x7fffff00u, 0xffffff00u}) {
    const SeqNum una(start);
    EcnSignal signal(true);
    EXPECT_FALSE(signal.OnAck(una + 100, !kEce));
    EXPECT_TRUE(signal.OnAck(una + 200, kEce));
    signal.OnReduced(una + 1000);
    EXPECT_FALSE(signal.OnAck(una + 300, kEce));
    EXPECT_FALSE(signal.OnAck(una + 1000, kEce));
    EXPECT_TRUE(signal.OnAck(una + 1001, kEce));
  }
}

TEST(EcnSignal, AReductionIsForgottenOnceItsWindowIsAcknowledged) {
  EcnSignal signal(true);
  signal.OnReduced(SeqNum(1000));
  EXPECT_FALSE(signal.OnAck(SeqNum(1001), !kEce));
  // Half of the sequence space later its number would look like the future.
  EXPECT_TRUE(signal.OnAck(SeqNum(1000) + 0x80000010u, kEce));
}

TEST(EcnSignal, CwrIsSaidOnceForAReduction) {
  EcnSignal signal(true);
  EXPECT_FALSE(signal.TakeCwr());
  signal.OnReduced(SeqNum(1));
  EXPECT_TRUE(signal.TakeCwr());
  EXPECT_FALSE(signal.TakeCwr());
}

TEST(EcnSignal, HearsAndSaysNothingThatWasNotAgreedOn) {
  EcnSignal signal(false);
  EXPECT_FALSE(signal.OnAck(SeqNum(1), kEce));
  signal.OnReduced(SeqNum(1));
  EXPECT_FALSE(signal.TakeCwr());
}

}  // namespace
}  // namespace tcpip::tcp
