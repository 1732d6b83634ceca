// Socket calls made for real, on the kernel of this machine.
#ifndef CONFORMANCE_KERNEL_CALLS_H_
#define CONFORMANCE_KERNEL_CALLS_H_

#include "conformance/call.h"
#include "tcpip/wire/address.h"

namespace conformance {

// Blocks as long as the call does. Addresses of IPv4 are given as mapped ones
// to sockets of IPv6.
CallResult RunOnKernel(const Call& call);

}  // namespace conformance

#endif  // CONFORMANCE_KERNEL_CALLS_H_
