// The option lines of a script ("--tolerance_usecs=10000"), one table.
#ifndef CONFORMANCE_SCRIPT_OPTIONS_H_
#define CONFORMANCE_SCRIPT_OPTIONS_H_

#include "absl/status/status.h"
#include "conformance/run_options.h"
#include "conformance/script.h"

namespace conformance {

// INVALID_ARGUMENT when the value makes no sense, UNIMPLEMENTED for an option
// nobody knows. Defines have been used by the parser.
absl::Status Apply(const ScriptOption& option, RunOptions& options);

}  // namespace conformance

#endif  // CONFORMANCE_SCRIPT_OPTIONS_H_
