// Every script of this folder against our stack: IPv4, IPv6 and IPv6 sockets
// with IPv4 packets, with the script's ISN at 0 and just before it wraps. And
// the runner itself: what is changed in one place must fail.
#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "conformance/directives.h"
#include "conformance/host_config.h"
#include "conformance/mutate.h"
#include "conformance/outcome.h"
#include "conformance/parser.h"
#include "conformance/report.h"
#include "conformance/runner.h"
#include "conformance/stack_host.h"
#include "conformance/suite.h"
#include "gtest/gtest.h"

namespace conformance {
namespace {

constexpr char kFolder[] = "tests/conformance";
constexpr uint32_t kShifts[] = {0, 0x7fffffff, 0xfffffff0};

std::vector<std::string> Files() {
  const auto files = FindScripts({kFolder});
  return files.ok() ? *files : std::vector<std::string>();
}

std::string Name(const std::string& path) {
  std::string name = path.substr(sizeof kFolder);
  name.resize(name.size() - sizeof ".pkt" + 1);
  for (char& c : name) {
    if (!isalnum(static_cast<unsigned char>(c))) c = '_';
  }
  return name;
}

std::string Text(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

class ConformanceTest : public testing::TestWithParam<std::string> {};

TEST_P(ConformanceTest, Holds) {
  for (const IpMode mode :
       {IpMode::kIpv4, IpMode::kIpv6, IpMode::kIpv4Mapped}) {
    for (const uint32_t shift : kShifts) {
      SuiteOptions options;
      SetIpMode(mode, options.run.host);
      options.run.remote_isn_shift = shift;
      const ScriptResult result = RunFile(GetParam(), options, StackHost::Make);
      EXPECT_TRUE(IsGood(result.outcome.verdict))
          << IpModeName(mode) << ", ISN + " << shift << "\n"
          << LinesFor(result);
      // Nothing here may be left out in silence.
      if (result.outcome.verdict == Verdict::kSkip) {
        EXPECT_EQ(result.outcome.skip, SkipReason::kIpMode) << LinesFor(result);
      }
    }
  }
}

TEST_P(ConformanceTest, FailsWhenOneThingIsChanged) {
  const std::string text = Text(GetParam());
  const auto directives = ReadDirectives(text);
  ASSERT_TRUE(directives.ok()) << directives.status();
  if (!directives->expected_fail.empty()) return;
  const auto script = ParseScript(text, GetParam());
  ASSERT_TRUE(script.ok()) << script.status();
  RunOptions options;
  SetIpMode(IpMode::kIpv4, options.host);
  SetProfile(directives->profile.value_or(Profile::kNetstack), options.host);
  for (const Mutant& mutant : MutantsOf(*script)) {
    EXPECT_EQ(conformance::Run(mutant.script, options, StackHost::Make).verdict,
              Verdict::kFail)
        << GetParam() << ", " << mutant.what;
  }
}

INSTANTIATE_TEST_SUITE_P(, ConformanceTest, testing::ValuesIn(Files()),
                         [](const auto& info) { return Name(info.param); });

TEST(ConformanceSuite, IsThere) { EXPECT_GE(Files().size(), 80u); }

}  // namespace
}  // namespace conformance
