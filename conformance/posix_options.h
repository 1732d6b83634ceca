// The options of a socket as setsockopt() and getsockopt() see them: one table
// of what we have. An option that Linux has and the table has not is answered
// with CallResult::unsupported, never accepted in silence.
//
// Pure: values into values. What a socket must be asked for (SO_ERROR,
// TCP_INFO) and handing the settings to the stack are posix_tcp's.
#ifndef CONFORMANCE_POSIX_OPTIONS_H_
#define CONFORMANCE_POSIX_OPTIONS_H_

#include <cstdint>

#include "conformance/call.h"
#include "tcpip/stack/demux.h"
#include "tcpip/transport/tcp/config.h"

namespace conformance {

struct SocketOptions {
  tcpip::tcp::SocketSettings settings = {};
  tcpip::BindRules rules = {};
  call::Linger linger = {};

  // Most that may be asked for, before doubling: Linux's net.core.wmem_max and
  // rmem_max.
  int max_send_buffer = 212992;
  int max_receive_buffer = 212992;

  // Close resets the connection.
  bool AbortsOnClose() const { return linger.onoff != 0; }
};

// What decides besides the option itself.
struct SocketFacts {
  bool is_tcp = true;
  bool is_ipv6 = false;
  bool is_bound = false;
};

CallResult SetOption(const call::SetOption& call, const SocketFacts& facts,
                     SocketOptions& options);
CallResult GetOption(const call::GetOption& call, const SocketFacts& facts,
                     const SocketOptions& options);

}  // namespace conformance

#endif  // CONFORMANCE_POSIX_OPTIONS_H_
