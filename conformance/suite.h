// Suite: many scripts, files in folders, run over all cores, each against a
// host of its own. Results come in the order of the files, however the work
// was shared out.
#ifndef CONFORMANCE_SUITE_H_
#define CONFORMANCE_SUITE_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "conformance/host.h"
#include "conformance/host_config.h"
#include "conformance/outcome.h"
#include "conformance/parser.h"
#include "conformance/runner.h"
#include "tcpip/base/time.h"

namespace conformance {

enum class Backend : uint8_t { kStack, kKernel };

struct SuiteOptions {
  RunOptions run;
  // Unset: what each script says, else netstack.
  std::optional<Profile> profile;
  Defines defines;
  Backend backend = Backend::kStack;
  int threads = 1;
};

struct ScriptResult {
  std::string path;
  Outcome outcome;
  double seconds = 0;  // of this machine's time
};

// Every *.pkt file below the paths that are folders, and the paths that are
// files, each once, sorted. NOT_FOUND for a path that is neither.
absl::StatusOr<std::vector<std::string>> FindScripts(
    const std::vector<std::string>& paths);

// Must be callable from several threads at once.
using SharedHostFactory =
    std::function<absl::StatusOr<std::unique_ptr<Host>>(const HostConfig&)>;

ScriptResult RunFile(const std::string& path, const SuiteOptions& options,
                     const SharedHostFactory& make_host);
std::vector<ScriptResult> RunSuite(const std::vector<std::string>& files,
                                   const SuiteOptions& options,
                                   const SharedHostFactory& make_host);

}  // namespace conformance

#endif  // CONFORMANCE_SUITE_H_
