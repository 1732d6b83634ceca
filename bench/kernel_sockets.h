// What the programs of bench/tun ask of the kernel for their sockets.
#ifndef BENCH_KERNEL_SOCKETS_H_
#define BENCH_KERNEL_SOCKETS_H_

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace bench {

// As many open files as the hard limit allows: one holds each connection.
inline void RaiseOpenFileLimit() {
  rlimit files;
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
}

// BENCH_CONGESTION, else the kernel's own default whatever this machine is set
// to: BBR paces, and then a timer is measured.
inline void SetCongestionControl(int fd) {
  const char* const asked = std::getenv("BENCH_CONGESTION");
  const std::string name = asked != nullptr ? asked : "cubic";
  if (setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, name.data(),
                 static_cast<socklen_t>(name.size())) != 0) {
    std::perror(name.c_str());
    std::exit(1);
  }
}

}  // namespace bench

#endif  // BENCH_KERNEL_SOCKETS_H_
