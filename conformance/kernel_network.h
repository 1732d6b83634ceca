// A network of its own for one script: a namespace for the thread, a TUN device
// in it, addresses, routes and settings.
#ifndef CONFORMANCE_KERNEL_NETWORK_H_
#define CONFORMANCE_KERNEL_NETWORK_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "conformance/host_config.h"

namespace conformance {

// Moves the calling thread into a fresh namespace and returns the descriptor of
// its device "tun0": plain packets, neither cut nor merged. Threads it starts
// later are there, too. PERMISSION_DENIED, saying what is needed, without the
// rights to; UNIMPLEMENTED for a setting this kernel does not have.
absl::StatusOr<int> EnterNetwork(const HostConfig& config);

// OK when EnterNetwork may work; leaves the caller where it is.
absl::Status MayEnterNetworks();

}  // namespace conformance

#endif  // CONFORMANCE_KERNEL_NETWORK_H_
