#include "conformance/journal.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace conformance {

void Journal::Add(tcpip::Duration at, const std::string& what) {
  if (lines_.size() >= max_lines_) lines_.erase(lines_.begin());
  lines_.push_back(absl::StrCat(ClockText(at), " ", what));
}

std::string ClockText(tcpip::Duration at) {
  const int64_t us = at.microseconds();
  return absl::StrFormat("%d.%06d", us / 1'000'000, us % 1'000'000);
}

}  // namespace conformance
