// Every script of this folder against the kernel of this machine, the oracle,
// in real time: packets, calls and times as a person would compare them. What a
// script skips here it says why in its own "not-on kernel:" line.
//
// Needs root or user namespaces, and /dev/net/tun.
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "conformance/host_config.h"
#include "conformance/kernel_host.h"
#include "conformance/kernel_network.h"
#include "conformance/outcome.h"
#include "conformance/report.h"
#include "conformance/run_options.h"
#include "conformance/suite.h"
#include "gtest/gtest.h"

namespace conformance {
namespace {

// More than cores: scripts mostly wait.
constexpr int kAtOnce = 4;
// A machine busy with other things keeps a thread waiting for longer than the
// 4 ms that a packet may be late. What is wrong fails every time.
constexpr int kTriesAlone = 10;

ScriptResult RunAlone(const std::string& path, const SuiteOptions& options) {
  ScriptResult result;
  for (int i = 0; i < kTriesAlone; ++i) {
    result = RunFile(path, options, KernelHost::Make);
    if (IsGood(result.outcome.verdict)) break;
  }
  return result;
}

TEST(KernelConformance, TheKernelAgrees) {
  const absl::Status may = MayEnterNetworks();
  if (!may.ok()) GTEST_SKIP() << may.message();
  const auto files = FindScripts({"tests/conformance"});
  ASSERT_TRUE(files.ok()) << files.status();
  SuiteOptions options;
  options.backend = Backend::kKernel;
  options.threads = kAtOnce;
  SetStrict(false, options.run);
  SetIpMode(IpMode::kIpv4, options.run.host);

  int passed = 0;
  for (ScriptResult& result : RunSuite(*files, options, KernelHost::Make)) {
    if (!IsGood(result.outcome.verdict)) {
      result = RunAlone(result.path, options);
    }
    const Outcome& outcome = result.outcome;
    EXPECT_TRUE(IsGood(outcome.verdict)) << LinesFor(result);
    if (outcome.verdict == Verdict::kPass) ++passed;
    // Nothing but what says so itself is left out.
    if (outcome.verdict == Verdict::kSkip) {
      EXPECT_EQ(outcome.skip, SkipReason::kBackend) << LinesFor(result);
    }
  }
  EXPECT_GE(passed, 70);
}

}  // namespace
}  // namespace conformance
