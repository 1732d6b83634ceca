#include "conformance/report.h"

#include "gtest/gtest.h"

namespace conformance {
namespace {

std::vector<ScriptResult> Results() {
  ScriptResult pass{.path = "a.pkt", .outcome = {}, .seconds = 0.5};
  ScriptResult fail{.path = "b.pkt",
                    .outcome = {.verdict = Verdict::kFail,
                                .line = 7,
                                .message = "wrong packet: seq is 2",
                                .details = {"expected <x>", "seen \"y\""}},
                    .seconds = 0.25};
  ScriptResult skip{.path = "c.pkt",
                    .outcome = {.verdict = Verdict::kSkip,
                                .skip = SkipReason::kCall,
                                .message = "call splice"}};
  ScriptResult later{
      .path = "d.pkt",
      .outcome = {.verdict = Verdict::kExpectedFail, .message = "part 5"}};
  return {pass, fail, skip, later};
}

TEST(ReportTest, AFailureSaysWhereWhyAndWhatWasSeen) {
  EXPECT_EQ(LinesFor(Results()[1]),
            "b.pkt:7: fail: wrong packet: seq is 2\n"
            "    expected <x>\n"
            "    seen \"y\"\n");
}

TEST(ReportTest, APassSaysNothing) { EXPECT_EQ(LinesFor(Results()[0]), ""); }

TEST(ReportTest, ASkipGivesItsReason) {
  EXPECT_EQ(LinesFor(Results()[2]), "c.pkt: skip: call: call splice\n");
}

TEST(ReportTest, TheSummaryCountsEachKind) {
  EXPECT_EQ(Summary(Results(), 1.234),
            "4 scripts: 1 passed, 1 failed, 1 failed as expected, 1 skipped "
            "(call 1) in 1.23 s");
  EXPECT_EQ(Summary({Results()[0]}, 0),
            "1 script: 1 passed, 0 failed in 0.00 s");
}

TEST(ReportTest, JUnitHasACaseForEachScriptAndEscapes) {
  const std::string xml = JUnitXml(Results());
  EXPECT_NE(xml.find("tests=\"4\" failures=\"1\" skipped=\"2\""),
            std::string::npos)
      << xml;
  EXPECT_NE(xml.find("<testcase name=\"a.pkt\" time=\"0.500\"/>"),
            std::string::npos);
  EXPECT_NE(xml.find("expected &lt;x&gt;\nseen &quot;y&quot;"),
            std::string::npos);
  EXPECT_NE(xml.find("<skipped message=\"c.pkt: call splice\"/>"),
            std::string::npos);
}

TEST(ReportTest, JsonQuotesWhatItHasTo) {
  const std::string json = Json(Results());
  EXPECT_NE(json.find("\"details\": \"expected <x>\\u000aseen \\\"y\\\"\""),
            std::string::npos)
      << json;
  EXPECT_NE(json.find("\"skip_reason\": \"call\""), std::string::npos);
  EXPECT_NE(json.find("\"skip_reason\": null"), std::string::npos);
}

}  // namespace
}  // namespace conformance
