// The invariants of all TCP sockets of a stack: what demultiplexer, counters
// and timers say agrees with what the connections say. O(sockets), for tests.
#ifndef TCPIP_STACK_FLOW_CHECKS_H_
#define TCPIP_STACK_FLOW_CHECKS_H_

#include "tcpip/stack/context.h"
#include "tcpip/stack/tcp_flows.h"

namespace tcpip {

// Aborts with a message when a rule is broken.
void CheckFlows(const StackContext& context, const TcpFlows& flows);

}  // namespace tcpip

#endif  // TCPIP_STACK_FLOW_CHECKS_H_
