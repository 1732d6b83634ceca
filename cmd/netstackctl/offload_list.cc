#include "cmd/netstackctl/offload_list.h"

#include <vector>

#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace netstack {

std::optional<v1::Offloads> ParseOffloads(absl::string_view text) {
  v1::Offloads offloads;
  if (text == "none") return offloads;
  for (const absl::string_view feature : absl::StrSplit(text, ',')) {
    if (feature == "checksum") {
      offloads.set_checksum(true);
    } else if (feature == "tso4") {
      offloads.set_tso4(true);
    } else if (feature == "tso6") {
      offloads.set_tso6(true);
    } else {
      return std::nullopt;
    }
  }
  return offloads;
}

std::string ToString(const v1::Offloads& offloads) {
  std::vector<absl::string_view> features;
  if (offloads.checksum()) features.push_back("checksum");
  if (offloads.tso4()) features.push_back("tso4");
  if (offloads.tso6()) features.push_back("tso6");
  return features.empty() ? "none" : absl::StrJoin(features, ",");
}

}  // namespace netstack
