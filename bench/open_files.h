// For programs of bench/tun that hold a connection per descriptor.
#ifndef BENCH_OPEN_FILES_H_
#define BENCH_OPEN_FILES_H_

#include <sys/resource.h>

namespace bench {

// As many open files as the hard limit allows.
inline void RaiseOpenFileLimit() {
  rlimit files;
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
}

}  // namespace bench

#endif  // BENCH_OPEN_FILES_H_
