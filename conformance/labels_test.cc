#include "conformance/labels.h"

#include "gtest/gtest.h"

namespace conformance {
namespace {

TEST(Labels, StandForTheDescriptorTheyWereSetToLast) {
  Labels labels;
  EXPECT_EQ(labels.Find(4), -1);
  labels.Set(4, 17);
  EXPECT_EQ(labels.Find(4), 17);
  EXPECT_EQ(labels.Find(17), -1);
  labels.Set(4, 5);
  EXPECT_EQ(labels.Find(4), 5);
}

}  // namespace
}  // namespace conformance
