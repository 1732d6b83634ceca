#include "tcpip/testing/golden.h"

#include <cstdlib>
#include <fstream>

#include "gtest/gtest.h"

namespace tcpip::sim {
namespace {

TEST(Golden, SaysWhereATextDiffers) {
  const std::string path = testing::TempDir() + "/some.golden";
  std::ofstream(path) << "one\ntwo\nthree\n";
  EXPECT_EQ(CompareWithGolden(path, "one\ntwo\nthree\n"), "");
  const std::string changed = CompareWithGolden(path, "one\n2\nthree\n");
  EXPECT_NE(changed.find("line 2 was:\n  two\nand is:\n  2"), std::string::npos)
      << changed;
  EXPECT_NE(CompareWithGolden(path, "one\n"), "");
  EXPECT_NE(CompareWithGolden("no/such/file", "text"), "");
}

TEST(Golden, WritesTheFileWhenTold) {
  setenv("NETSTACK_GOLDEN", testing::TempDir().c_str(), 1);
  EXPECT_EQ(CompareWithGolden("new.golden", "fresh\n"), "");
  EXPECT_NE(CompareWithGolden("no/such/folder", "text"), "");
  unsetenv("NETSTACK_GOLDEN");
  EXPECT_EQ(CompareWithGolden(testing::TempDir() + "/new.golden", "fresh\n"),
            "");
}

}  // namespace
}  // namespace tcpip::sim
