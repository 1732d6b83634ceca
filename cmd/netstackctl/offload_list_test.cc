#include "cmd/netstackctl/offload_list.h"

#include "gtest/gtest.h"

namespace netstack {
namespace {

TEST(OffloadList, IsReadAsItIsPrinted) {
  for (const char* text : {"none", "checksum", "checksum,tso4", "checksum,tso6",
                           "checksum,tso4,tso6", "tso4,tso6"}) {
    const std::optional<v1::Offloads> offloads = ParseOffloads(text);
    ASSERT_TRUE(offloads.has_value()) << text;
    EXPECT_EQ(ToString(*offloads), text);
  }
}

TEST(OffloadList, FeaturesStandInAnyOrder) {
  EXPECT_EQ(ToString(ParseOffloads("tso6,tso4,checksum").value()),
            "checksum,tso4,tso6");
}

TEST(OffloadList, OtherTextIsNoList) {
  for (const char* text : {"", "all", "checksum,", "checksum+tso4", "none,tso4",
                           "Checksum", "checksum, tso4"}) {
    EXPECT_FALSE(ParseOffloads(text).has_value()) << text;
  }
}

}  // namespace
}  // namespace netstack
