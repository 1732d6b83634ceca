// The calls on UDP sockets with Linux's meaning, as far as packet scripts use
// them. Each call is one try, as in posix_tcp.
#ifndef CONFORMANCE_POSIX_UDP_H_
#define CONFORMANCE_POSIX_UDP_H_

#include "conformance/call.h"
#include "conformance/call_try.h"
#include "conformance/descriptor.h"
#include "tcpip/base/time.h"
#include "tcpip/stack/stack.h"

namespace conformance {

class PosixUdp {
 public:
  // The stack outlives it.
  explicit PosixUdp(tcpip::Stack& stack) : stack_(stack) {}

  Tried On(UdpDescriptor& d, const call::Bind& call, Attempt& attempt);
  Tried On(UdpDescriptor& d, const call::Listen& call, Attempt& attempt);
  Tried On(UdpDescriptor& d, const call::Accept& call, Attempt& attempt);
  Tried On(UdpDescriptor& d, const call::Connect& call, Attempt& attempt);
  Tried On(UdpDescriptor& d, const call::Receive& call, Attempt& attempt);
  Tried On(UdpDescriptor& d, const call::Send& call, Attempt& attempt);
  Tried On(UdpDescriptor& d, const call::Ioctl& call, Attempt& attempt);
  Tried On(UdpDescriptor& d, const call::Shutdown& call, Attempt& attempt);
  Tried On(UdpDescriptor& d, const call::GetOption& call, Attempt& attempt);
  Tried On(UdpDescriptor& d, const call::SetOption& call, Attempt& attempt);

  void Close(UdpDescriptor& d, tcpip::Instant now);
  ReadyState Ready(const UdpDescriptor& d) const;

 private:
  // Opens the stack's socket, if it is not yet, at any port. Errno or 0.
  int EnsureOpen(UdpDescriptor& d);
  int Open(UdpDescriptor& d, const tcpip::IpEndpoint& local);

  tcpip::Stack& stack_;
};

}  // namespace conformance

#endif  // CONFORMANCE_POSIX_UDP_H_
