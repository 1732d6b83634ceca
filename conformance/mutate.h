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

// One for each flag, sequence number, acknowledgment, window, port, length,
// time, option and IP field of each packet that is expected, one without the
// packet and one that expects it twice; one for each result, output and time of
// return of a call. What a script leaves open ("...", ranges of time) is left
// alone, and so are descriptors, which are labels.
std::vector<Mutant> MutantsOf(const Script& script);

}  // namespace conformance

#endif  // CONFORMANCE_MUTATE_H_
