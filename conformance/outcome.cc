#include "conformance/outcome.h"

#include <utility>

namespace conformance {

const char* SkipReasonName(SkipReason reason) {
  constexpr const char* kNames[kSkipReasonCount] = {
      "none",          "command", "setting", "call",
      "socket-option", "code",    "field",   "tunnel",
      "script-option", "backend", "ip"};
  return kNames[static_cast<int>(reason)];
}

const char* VerdictName(Verdict verdict) {
  constexpr const char* kNames[kVerdictCount] = {
      "pass", "fail", "skip", "expected-fail", "unexpected-pass"};
  return kNames[static_cast<int>(verdict)];
}

Ended Fail(std::string message, std::vector<std::string> details) {
  Outcome outcome;
  outcome.verdict = Verdict::kFail;
  outcome.message = std::move(message);
  outcome.details = std::move(details);
  return outcome;
}

Ended FailLate(std::string message) {
  Ended ended = Fail(std::move(message));
  ended->was_late = true;
  return ended;
}

Ended SkipOrFail(SkipReason reason, const absl::Status& why) {
  Ended ended = Fail(std::string(why.message()));
  if (absl::IsUnimplemented(why)) {
    ended->verdict = Verdict::kSkip;
    ended->skip = reason;
  }
  return ended;
}

Ended At(int line, Ended ended) {
  if (ended && ended->line == 0) ended->line = line;
  return ended;
}

}  // namespace conformance
