// Runs one script against one host: walks through its events, lets the host's
// time pass up to each, injects, calls, compares.
//
// One thread, no sleeping: time passes only inside Host. Bounded by the
// script's length and its last time; what the script does not wait for is not
// waited for.
#ifndef CONFORMANCE_RUNNER_H_
#define CONFORMANCE_RUNNER_H_

#include <memory>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "conformance/host.h"
#include "conformance/host_config.h"
#include "conformance/outcome.h"
#include "conformance/run_options.h"
#include "conformance/script.h"

namespace conformance {

// Makes the host for a script, whose settings are in.
using HostFactory =
    absl::FunctionRef<absl::StatusOr<std::unique_ptr<Host>>(const HostConfig&)>;

// `options` are those of the command line; the script's own option lines give
// what they leave open.
Outcome Run(const Script& script, const RunOptions& options,
            HostFactory make_host);

}  // namespace conformance

#endif  // CONFORMANCE_RUNNER_H_
