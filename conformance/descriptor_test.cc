#include "conformance/descriptor.h"

#include "gtest/gtest.h"

namespace conformance {
namespace {

TEST(DescriptorTable, LowestFreeNumberIsGivenOutFirst) {
  DescriptorTable table;
  EXPECT_EQ(table.Add({}), 3);
  EXPECT_EQ(table.Add({}), 4);
  EXPECT_EQ(table.Add({}), 5);
  table.Remove(4);
  table.Remove(3);
  EXPECT_EQ(table.Add({}), 3);
  EXPECT_EQ(table.Add({}), 4);
  EXPECT_EQ(table.Add({}), 6);
}

TEST(DescriptorTable, FindsWhatIsOpen) {
  DescriptorTable table;
  const int fd = table.Add({.kind = EpollDescriptor{}, .nonblocking = true});
  ASSERT_NE(table.Find(fd), nullptr);
  EXPECT_TRUE(table.Find(fd)->nonblocking);
  EXPECT_EQ(table.Find(fd + 1), nullptr);
  EXPECT_EQ(table.Find(-1), nullptr);
  table.Remove(fd);
  EXPECT_EQ(table.Find(fd), nullptr);
}

}  // namespace
}  // namespace conformance
