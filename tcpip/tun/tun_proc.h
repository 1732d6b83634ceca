// What /proc tells about a TUN device: who holds it, and how many packets the
// kernel could not queue for us. For error messages and counters: whatever
// cannot be read counts as not there. Called by tun_io.
#ifndef TCPIP_TUN_TUN_PROC_H_
#define TCPIP_TUN_TUN_PROC_H_

#include <cstdint>
#include <string>

namespace tcpip {

// "process 12 (netstackd)": one that has `device` of our own network namespace
// open. Empty when none can be seen. O(open files of the machine).
std::string FindTunHolder(const std::string& device,
                          const std::string& proc = "/proc");

// Packets for the device that were dropped because its queue was full.
uint64_t TunDrops(const std::string& device,
                  const std::string& net_dev = "/proc/thread-self/net/dev");

}  // namespace tcpip

#endif  // TCPIP_TUN_TUN_PROC_H_
