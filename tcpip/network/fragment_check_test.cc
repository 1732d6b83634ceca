#include "tcpip/network/fragment_check.h"

#include "gtest/gtest.h"
#include "tcpip/wire/ipv4.h"

namespace tcpip::ip {
namespace {

// A fragment of `data` bytes behind a header of 20 that counts.
FragmentFlaw Flaw(uint16_t offset, bool more, uint32_t data,
                  uint8_t protocol = wire::kUdp) {
  const FragmentFacts fragment = {
      .offset = offset, .more = more, .header_size = 20};
  const InboundIp ip = {
      .protocol = protocol, .header_size = 20, .size = 20 + data};
  return FlawOf(fragment, ip, 20, data);
}

// [fault I05] every size that a fragment of a 1,500-byte link can have
TEST(FragmentCheck, EverySizeThatIsAMultipleOf8IsFine) {
  for (uint32_t data = 1; data <= 1480; ++data) {
    EXPECT_EQ(Flaw(0, true, data),
              data % 8 == 0 ? FragmentFlaw::kNone : FragmentFlaw::kUneven);
    EXPECT_EQ(Flaw(8, true, data),
              data % 8 == 0 ? FragmentFlaw::kNone : FragmentFlaw::kUneven);
    EXPECT_EQ(Flaw(8, false, data), FragmentFlaw::kNone);
  }
  EXPECT_EQ(Flaw(8, false, 0), FragmentFlaw::kEmpty);
}

// [fault X19] [RFC 7112 5]
TEST(FragmentCheck, TheFirstHasToHoldTheTransportHeader) {
  struct Row {
    uint8_t protocol;
    uint32_t least;
  };
  for (const Row& row :
       {Row{wire::kTcp, 24}, Row{wire::kUdp, 8}, Row{wire::kIcmp, 8},
        Row{wire::kIcmpv6, 8}, Row{132, 8}}) {
    for (uint32_t data = 8; data <= 64; data += 8) {
      EXPECT_EQ(
          Flaw(0, true, data, row.protocol),
          data < row.least ? FragmentFlaw::kTinyFirst : FragmentFlaw::kNone)
          << int{row.protocol} << ", " << data;
      EXPECT_EQ(Flaw(8, true, data, row.protocol), FragmentFlaw::kNone);
    }
  }
}

// [fault X19] nothing reaches beyond what a length field can say
TEST(FragmentCheck, TheWholeHas65535BytesAtMost) {
  constexpr uint16_t kLast = 65512;  // the last offset that leaves any room
  EXPECT_EQ(Flaw(kLast, false, 3), FragmentFlaw::kNone);
  EXPECT_EQ(Flaw(kLast, false, 4), FragmentFlaw::kTooLong);
  EXPECT_EQ(Flaw(kLast, true, 8), FragmentFlaw::kTooLong);
  EXPECT_EQ(Flaw(65528, false, 1480), FragmentFlaw::kTooLong);
}

}  // namespace
}  // namespace tcpip::ip
