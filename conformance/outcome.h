// What came of running a script, as a value: passed, failed and where, or
// skipped and why. The reasons for skipping are a closed list, so that what is
// not applicable can be counted; a skip is never a pass.
#ifndef CONFORMANCE_OUTCOME_H_
#define CONFORMANCE_OUTCOME_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"

namespace conformance {

enum class SkipReason : uint8_t {
  kNone,
  kCommand,       // a shell command nobody interprets
  kSetting,       // a sysctl key the host cannot follow
  kCall,          // a call, or an argument of one, that the host does not have
  kSocketOption,  // a socket option the host does not have
  kCode,          // code the evaluator does not understand
  kField,         // code asks for a field the host does not report
  kTunnel,        // packets in tunnels
  kScriptOption,  // an option line nobody knows
  kBackend,       // says itself that it is not for this backend
  kIpMode,        // says itself that it is about other packets or sockets
};
inline constexpr int kSkipReasonCount = 11;
const char* SkipReasonName(SkipReason reason);

enum class Verdict : uint8_t {
  kPass,
  kFail,
  kSkip,
  kExpectedFail,    // as the script says it would
  kUnexpectedPass,  // although the script says it would not: an error
};
inline constexpr int kVerdictCount = 5;
const char* VerdictName(Verdict verdict);
// Neither of the two that make a run fail.
constexpr bool IsGood(Verdict verdict) {
  return verdict != Verdict::kFail && verdict != Verdict::kUnexpectedPass;
}

struct Outcome {
  Verdict verdict = Verdict::kPass;
  SkipReason skip = SkipReason::kNone;
  int line = 0;              // of the event, 0 for the script as a whole
  std::string message = {};  // one line: why it failed or was skipped
  // After a failure: expected, seen, and the packets before, a line each.
  std::vector<std::string> details = {};
  std::vector<std::string> trace = {};  // every event, when asked for
  // An event of the script itself began or ended late: in real time that may be
  // this machine's fault, and says nothing about the host.
  bool was_late = false;
};

// Of one step: nothing to say, or how the script ended with it.
using Ended = std::optional<Outcome>;
Ended Fail(std::string message, std::vector<std::string> details = {});
Ended FailLate(std::string message);
// UNIMPLEMENTED: the script asks for what the host or the runner does not have,
// and is skipped. Any other: it makes no sense, and has failed.
Ended SkipOrFail(SkipReason reason, const absl::Status& why);
// Adds the line where that was, unless one is there.
Ended At(int line, Ended ended);

}  // namespace conformance

#endif  // CONFORMANCE_OUTCOME_H_
