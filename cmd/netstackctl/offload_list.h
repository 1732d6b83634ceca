// Offloads as netstackctl takes and prints them: "none", or some of
// checksum,tso4,tso6. The spelling is that of the daemon's log.
#ifndef CMD_NETSTACKCTL_OFFLOAD_LIST_H_
#define CMD_NETSTACKCTL_OFFLOAD_LIST_H_

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "service/netstack.pb.h"

namespace netstack {

// nullopt for any other text.
std::optional<v1::Offloads> ParseOffloads(absl::string_view text);

std::string ToString(const v1::Offloads& offloads);

}  // namespace netstack

#endif  // CMD_NETSTACKCTL_OFFLOAD_LIST_H_
