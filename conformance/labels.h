// Which descriptor of the host a script means by a number of its own.
#ifndef CONFORMANCE_LABELS_H_
#define CONFORMANCE_LABELS_H_

#include <cstdint>
#include <map>

namespace conformance {

class Labels {
 public:
  // The script's number stands for `fd` from now on.
  void Set(int64_t label, int fd) { fds_[label] = fd; }
  // -1, of which every host says EBADF, for a label that was never set.
  int Find(int64_t label) const {
    const auto it = fds_.find(label);
    return it == fds_.end() ? -1 : it->second;
  }

 private:
  std::map<int64_t, int> fds_;
};

}  // namespace conformance

#endif  // CONFORMANCE_LABELS_H_
