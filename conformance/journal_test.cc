#include "conformance/journal.h"

#include "gtest/gtest.h"

namespace conformance {
namespace {

using tcpip::Duration;

TEST(JournalTest, KeepsTheLastLinesWithTheirTimes) {
  Journal journal(2);
  journal.Add(Duration::Zero(), "a");
  journal.Add(Duration::Milliseconds(10), "b");
  journal.Add(Duration::Seconds(61) + Duration::Microseconds(7), "c");
  EXPECT_EQ(journal.lines(),
            (std::vector<std::string>{"0.010000 b", "61.000007 c"}));
}

}  // namespace
}  // namespace conformance
