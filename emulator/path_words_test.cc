#include "emulator/path_words.h"

#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "gtest/gtest.h"

namespace emulator {
namespace {

// Whether the values may follow the word.
bool Reads(absl::string_view name, absl::string_view text) {
  PathConfig config;
  for (const PathWord& word : PathWords()) {
    if (word.name != name) continue;
    const std::vector<absl::string_view> values =
        absl::StrSplit(text, ' ', absl::SkipEmpty());
    EXPECT_GE(values.size(), word.least) << name;
    EXPECT_LE(values.size(), word.most) << name;
    return word.read(values, config);
  }
  ADD_FAILURE() << "no word " << name;
  return false;
}

TEST(PathWords, AnExampleIsWhatItsWordReadsAndWrites) {
  for (const PathWord& word : PathWords()) {
    const std::vector<absl::string_view> values =
        absl::StrSplit(word.example, ' ', absl::SkipEmpty());
    PathConfig config;
    ASSERT_TRUE(word.read(values, config)) << word.name;
    EXPECT_EQ(word.write(config).value_or("nothing"), word.example);
  }
}

TEST(PathWords, APathThatDoesNothingSaysNoWord) {
  for (const PathWord& word : PathWords()) {
    EXPECT_EQ(word.write(PathConfig()), std::nullopt) << word.name;
  }
}

// As the ranges say that are shown with an error.
TEST(PathWords, ValuesEndWhereTheyMakeNoSense) {
  const struct {
    const char* word;
    const char* good;
    const char* bad;
  } cases[] = {
      {"rate", "1kbit/s", "999bit/s"},
      {"delay", "3600s", "3600.1s"},
      {"jitter", "3600s", "3601s"},
      {"loss", "100%", "100.0001%"},
      {"burst", "0.1%/100%", "0.1%/101%"},
      {"burst", "1%/2%/3%/4%", "1%/2%/3%/4%/5%"},
      {"queue", "1packets", "0packets"},
      {"queue", "1B", "0B"},
      {"mark", "3600s", "3601s"},
      {"mark", "1B", "0B"},
      {"police", "1kbit/s 1500B", "0bit/s 1500B"},
      {"hold", "3% 1ns", "3% 0ms"},
      {"hold", "3% 3600s", "3% 3601s"},
      {"mtu", "68", "67"},
      {"mtu", "65535", "65536"},
      {"lose", "1", "0"},
      {"lose", "1 2", "2 1"},
      {"lose-data", "1 2", "1 1"},
      {"outage", "0s-1ns", "1s-1s"},
      {"outage", "0s-1000000s", "0s-1000001s"},
  };
  for (const auto& c : cases) {
    EXPECT_TRUE(Reads(c.word, c.good)) << c.word << " " << c.good;
    EXPECT_FALSE(Reads(c.word, c.bad)) << c.word << " " << c.bad;
  }
}

}  // namespace
}  // namespace emulator
