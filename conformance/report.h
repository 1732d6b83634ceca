// Results of scripts as people and machines read them: lines and a summary,
// JUnit's XML, JSON.
#ifndef CONFORMANCE_REPORT_H_
#define CONFORMANCE_REPORT_H_

#include <string>
#include <vector>

#include "conformance/suite.h"

namespace conformance {

// "FILE:LINE: fail: why", and what was expected, seen and came before. "" for a
// pass without a trace.
std::string LinesFor(const ScriptResult& result);

// "80 scripts: 76 passed, 1 failed, 2 expected to fail, 1 skipped (call 1) in
// 0.41 s"
std::string Summary(const std::vector<ScriptResult>& results, double seconds);

std::string JUnitXml(const std::vector<ScriptResult>& results);
std::string Json(const std::vector<ScriptResult>& results);

}  // namespace conformance

#endif  // CONFORMANCE_REPORT_H_
