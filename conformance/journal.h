// What happened so far in a run, a line each, in the notation of scripts: the
// packets before a failure, and the whole with --trace.
#ifndef CONFORMANCE_JOURNAL_H_
#define CONFORMANCE_JOURNAL_H_

#include <cstddef>
#include <string>
#include <vector>

#include "tcpip/base/time.h"

namespace conformance {

class Journal {
 public:
  // At most the last `max_lines` are kept.
  explicit Journal(size_t max_lines) : max_lines_(max_lines) {}

  // "    0.100000 > . 1:1(0) ack 1"
  void Add(tcpip::Duration at, const std::string& what);
  const std::vector<std::string>& lines() const { return lines_; }

 private:
  size_t max_lines_;
  std::vector<std::string> lines_;
};

// "0.100000", microseconds always.
std::string ClockText(tcpip::Duration at);

}  // namespace conformance

#endif  // CONFORMANCE_JOURNAL_H_
