// The code of scripts: "%{ assert tcpi_snd_cwnd == 10, tcpi_snd_cwnd }%". A
// line of the little Python that scripts use is
//
//   assert EXPR[, message]     name = EXPR     print anything     pass
//
// over 64-bit integers: or and not, comparisons (chained), | ^ & << >> + - * //
// % ~, min() max() abs(), True False. Called by the runner at the event, with
// the fields of the connection at that time; runs nothing else and has no loop.
#ifndef CONFORMANCE_EVALUATOR_H_
#define CONFORMANCE_EVALUATOR_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "conformance/call.h"

namespace conformance {

// What assignments left behind, for the later code of the same script.
using Variables = std::map<std::string, int64_t>;

struct CodeOutcome {
  bool passed = true;
  // Why not: the assertion, and the values it saw. "assert tcpi_snd_cwnd == 10:
  // tcpi_snd_cwnd is 9".
  std::string message;
};

// UNIMPLEMENTED for code that is not of this language, NOT_FOUND for a field
// that the connection does not have: nothing is known then. FAILED_PRECONDITION
// for a division by zero, a number beyond 64 bits, a bad shift.
absl::StatusOr<CodeOutcome> Evaluate(std::string_view code,
                                     const InfoFields& fields,
                                     Variables& variables);

}  // namespace conformance

#endif  // CONFORMANCE_EVALUATOR_H_
