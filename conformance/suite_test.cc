#include "conformance/suite.h"

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "conformance/host_config.h"
#include "conformance/outcome.h"
#include "conformance/stack_host.h"
#include "gtest/gtest.h"

namespace conformance {
namespace {

namespace fs = std::filesystem;

constexpr char kPasses[] = "0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3\n";
constexpr char kFails[] =
    "0 socket(..., SOCK_STREAM, IPPROTO_TCP) = -1 EINVAL\n";

class SuiteTest : public testing::Test {
 protected:
  SuiteTest()
      : folder_(fs::path(testing::TempDir()) /
                testing::UnitTest::GetInstance()->current_test_info()->name()) {
    fs::create_directories(folder_ / "below");
    SetIpMode(IpMode::kIpv4, options_.run.host);
  }
  ~SuiteTest() override { fs::remove_all(folder_); }

  std::string Write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }
  Outcome RunText(const std::string& text) {
    return RunFile(Write("a.pkt", text), options_, StackHost::Make).outcome;
  }

  fs::path folder_;
  SuiteOptions options_;
};

TEST_F(SuiteTest, ScriptsAreFoundOnceEachInOrder) {
  const std::string b = Write("below/b.pkt", kPasses);
  const std::string a = Write("a.pkt", kPasses);
  const std::string text = Write("c.txt", kPasses);
  const auto found = FindScripts({a, folder_.string()});
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(*found, (std::vector<std::string>{a, b}));
  // A file that is named needs no ending.
  const auto named = FindScripts({text});
  ASSERT_TRUE(named.ok()) << named.status();
  EXPECT_EQ(*named, std::vector<std::string>{text});
}

TEST_F(SuiteTest, LinksToNowhereAreNoScripts) {
  fs::create_symlink("self.pkt", folder_ / "self.pkt");
  fs::create_symlink("none", folder_ / "below" / "dangling.pkt");
  const std::string a = Write("a.pkt", kPasses);
  const auto found = FindScripts({folder_.string()});
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(*found, std::vector<std::string>{a});
}

TEST_F(SuiteTest, APipeThatIsNamedIsAScript) {
  const std::string pipe = (folder_ / "pipe").string();
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const auto found = FindScripts({pipe});
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(*found, std::vector<std::string>{pipe});
}

TEST_F(SuiteTest, WhatCannotBeParsedFailsInItsLine) {
  const Outcome outcome = RunText(std::string(kPasses) + "close(3) = 0\n");
  EXPECT_EQ(outcome.verdict, Verdict::kFail);
  EXPECT_EQ(outcome.line, 2);
  EXPECT_EQ(outcome.message,
            "expected a time in seconds, such as 0.25, found 'close'");
}

TEST_F(SuiteTest, APathThatIsNotThereIsToldOf) {
  const auto found = FindScripts({(folder_ / "none").string()});
  EXPECT_EQ(found.status().code(), absl::StatusCode::kNotFound);
  EXPECT_NE(found.status().message().find("none"), std::string::npos);
}

TEST_F(SuiteTest, ResultsKeepTheOrderOfTheFilesOverAllThreads) {
  std::vector<std::string> files;
  for (int i = 0; i < 40; ++i) {
    files.push_back(
        Write(std::to_string(100 + i), i % 3 == 0 ? kFails : kPasses));
  }
  options_.threads = 4;
  const auto results = RunSuite(files, options_, StackHost::Make);
  ASSERT_EQ(results.size(), files.size());
  for (int i = 0; i < 40; ++i) {
    EXPECT_EQ(results[i].path, files[i]);
    EXPECT_EQ(results[i].outcome.verdict,
              i % 3 == 0 ? Verdict::kFail : Verdict::kPass);
  }
}

TEST_F(SuiteTest, AFileThatCannotBeReadHasFailed) {
  const ScriptResult result =
      RunFile((folder_ / "none.pkt").string(), options_, StackHost::Make);
  EXPECT_EQ(result.outcome.verdict, Verdict::kFail);
  EXPECT_EQ(result.outcome.message, "the file cannot be read");
}

TEST_F(SuiteTest, WhatIsExpectedToFailHasTo) {
  const std::string says = "// expected-fail: part 9: sockets are numbered\n";
  const Outcome fails = RunText(says + kFails);
  EXPECT_EQ(fails.verdict, Verdict::kExpectedFail);
  EXPECT_TRUE(IsGood(fails.verdict));
  EXPECT_EQ(fails.message.find("part 9"), 0u) << fails.message;
  const Outcome passes = RunText(says + kPasses);
  EXPECT_EQ(passes.verdict, Verdict::kUnexpectedPass);
  EXPECT_FALSE(IsGood(passes.verdict));
  // A skip stays one.
  EXPECT_EQ(RunText(says + "0 `rm nothing`\n").verdict, Verdict::kSkip);
}

TEST_F(SuiteTest, WhatIsNotForThisBackendOrModeIsSkippedByItsReason) {
  const std::string text =
      "// not-on kernel: it is older\n// only: ipv6\n" + std::string(kFails);
  EXPECT_EQ(RunText(text).skip, SkipReason::kIpMode);
  SetIpMode(IpMode::kIpv6, options_.run.host);
  EXPECT_EQ(RunText(text).verdict, Verdict::kFail);
  options_.backend = Backend::kKernel;
  const Outcome outcome = RunText(text);
  EXPECT_EQ(outcome.verdict, Verdict::kSkip);
  EXPECT_EQ(outcome.skip, SkipReason::kBackend);
  EXPECT_EQ(outcome.message, "it is older");
}

// A host that is late the first times, as a busy machine makes it.
TEST_F(SuiteTest, InRealTimeALateRunIsTriedAgain) {
  const std::string path = Write(
      "a.pkt", "0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3\n+.1 close(3) = 0");
  for (const Backend backend : {Backend::kStack, Backend::kKernel}) {
    options_.backend = backend;
    int made = 0;
    const ScriptResult result =
        RunFile(path, options_, [&made](const HostConfig& config) {
          auto host = StackHost::Make(config);
          const bool is_late = ++made < 3;
          if (host.ok() && is_late) {
            (*host)->AdvanceTo(tcpip::Duration::Seconds(1));
          }
          return host;
        });
    const bool is_real = backend == Backend::kKernel;
    EXPECT_EQ(made, is_real ? 3 : 1);
    EXPECT_EQ(result.outcome.verdict, is_real ? Verdict::kPass : Verdict::kFail)
        << result.outcome.message;
  }
}

TEST_F(SuiteTest, TheProfileIsThePlatformOfAnIfdef) {
  const std::string text =
      std::string(kPasses) + "#ifdef FreeBSD\n+0 close(9) = 0\n#endif\n";
  EXPECT_EQ(RunText(text).verdict, Verdict::kPass);
  options_.profile = Profile::kFreebsd;
  EXPECT_EQ(RunText(text).verdict, Verdict::kFail);
}

}  // namespace
}  // namespace conformance
