// TcpInfo under the names and in the units of Linux's struct tcp_info, for
// scripts that ask for them. A field that we do not count is not there, so
// that a script that needs it says so.
#ifndef CONFORMANCE_TCP_INFO_FIELDS_H_
#define CONFORMANCE_TCP_INFO_FIELDS_H_

#include "conformance/call.h"
#include "tcpip/transport/tcp/observe.h"
#include "tcpip/transport/tcp/state.h"

namespace conformance {

// TCP_ESTABLISHED and its like. TIME-WAIT is nobody's socket in Linux: whoever
// still holds the connection sees TCP_CLOSE.
int LinuxState(tcpip::tcp::TcpState state);

InfoFields InfoFieldsOf(const tcpip::tcp::TcpInfo& info);

}  // namespace conformance

#endif  // CONFORMANCE_TCP_INFO_FIELDS_H_
