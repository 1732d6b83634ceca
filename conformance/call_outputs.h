// What a call gives back besides its value, as arguments in a script's
// notation: "[4]", revents, epoll events, a linger, message flags.
#ifndef CONFORMANCE_CALL_OUTPUTS_H_
#define CONFORMANCE_CALL_OUTPUTS_H_

#include <cstdint>

#include "absl/status/status.h"
#include "conformance/call.h"
#include "conformance/script.h"

namespace conformance {

// Are the outputs that the script expects of a kind that can be compared?
// INVALID_ARGUMENT or UNIMPLEMENTED.
absl::Status CheckOutputs(const CallSpec& spec);

// Puts what came out in place of what the script expects, where the two
// differ. True when they do not; "..." expects anything.
bool PutOutputs(const CallResult& result, CallSpec& call);

Expr NumberExpr(int64_t number);

}  // namespace conformance

#endif  // CONFORMANCE_CALL_OUTPUTS_H_
