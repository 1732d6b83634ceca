// What a packet differs in from the one a script expects: field by field, only
// what the script says anything about.
//
// Also joins seen segments, as a script may expect in one packet what a host
// sends in several.
#ifndef CONFORMANCE_PACKET_COMPARE_H_
#define CONFORMANCE_PACKET_COMPARE_H_

#include <cstdint>
#include <string>

#include "conformance/script.h"

namespace conformance {

struct CompareRules {
  // Options as a set: order, NOP and EOL do not matter.
  bool options_as_set = false;
  bool ignore_windows = false;
  // TS val and ecr; scripts for the original tool may have any.
  bool check_timestamps = true;
};

// "" when `seen` is what was expected, else what differs, each with both
// values: "seq 1 for 1461, flags . for P.".
std::string Difference(const PacketSpec& expected, const PacketSpec& seen,
                       const CompareRules& rules);

// `seen` without what `expected` does not mention: what to show beside it.
PacketSpec Mentioned(const PacketSpec& expected, PacketSpec seen);

// Adds `next` to the end of `seen` when both are TCP segments that could have
// been one: it continues where that ends, with the same headers but for FIN,
// PSH and CWR. `piece` is the length of the first of all: what comes after a
// shorter one is not joined. False when not.
bool Join(PacketSpec& seen, const PacketSpec& next, uint16_t piece);

}  // namespace conformance

#endif  // CONFORMANCE_PACKET_COMPARE_H_
