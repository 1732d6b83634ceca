// Scripts that are wrong in one place: a passing script, of which one thing
// that a runner has to look at was changed. Whoever runs them must see each
// fail; they test the runner, not the host.
#ifndef CONFORMANCE_MUTATE_H_
#define CONFORMANCE_MUTATE_H_

#include <string>
#include <vector>

#include "conformance/script.h"

namespace conformance {

struct Mutant {
  std::string what;  // "line 7: seq"
  Script script;
};

// One for each flag, sequence number, acknowledgment, window, time and option
// of each packet that is expected, and each result of a call. What a script
// leaves open ("...", ranges of time) is left alone, and so are descriptors,
// which are labels.
std::vector<Mutant> MutantsOf(const Script& script);

}  // namespace conformance

#endif  // CONFORMANCE_MUTATE_H_
