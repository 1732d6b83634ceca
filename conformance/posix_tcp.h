// The calls on TCP sockets with Linux's meaning: who may do what in which
// state, which error is told and that it is told once, what a socket is ready
// for. Each call is one try (see call_try.h); waiting is posix_sockets'.
//
// Bytes have no values here: what is sent is zero, what is received is counted.
#ifndef CONFORMANCE_POSIX_TCP_H_
#define CONFORMANCE_POSIX_TCP_H_

#include <cstdint>

#include "conformance/call.h"
#include "conformance/call_try.h"
#include "conformance/descriptor.h"
#include "conformance/tcp_view.h"
#include "tcpip/base/time.h"
#include "tcpip/stack/stack.h"
#include "tcpip/wire/address.h"

namespace conformance {

class PosixTcp {
 public:
  // Both outlive it. `table` gets what is accepted, and knows who is bound.
  PosixTcp(tcpip::Stack& stack, DescriptorTable& table)
      : stack_(stack), table_(table) {}

  Tried On(TcpDescriptor& d, const call::Bind& call, Attempt& attempt);
  Tried On(TcpDescriptor& d, const call::Listen& call, Attempt& attempt);
  Tried On(TcpDescriptor& d, const call::Accept& call, Attempt& attempt);
  Tried On(TcpDescriptor& d, const call::Connect& call, Attempt& attempt);
  Tried On(TcpDescriptor& d, const call::Receive& call, Attempt& attempt);
  Tried On(TcpDescriptor& d, const call::Send& call, Attempt& attempt);
  Tried On(TcpDescriptor& d, const call::Ioctl& call, Attempt& attempt);
  Tried On(TcpDescriptor& d, const call::Shutdown& call, Attempt& attempt);
  Tried On(TcpDescriptor& d, const call::GetOption& call, Attempt& attempt);
  Tried On(TcpDescriptor& d, const call::SetOption& call, Attempt& attempt);

  void Close(TcpDescriptor& d, tcpip::Instant now);
  ReadyState Ready(const TcpDescriptor& d) const;

 private:
  bool IsOurs(const tcpip::IpAddress& address) const;
  bool IsTaken(const TcpDescriptor& d, const tcpip::IpEndpoint& local) const;
  // Value(0) when it is under way.
  CallResult StartConnect(TcpDescriptor& d, const tcpip::IpEndpoint& remote,
                          tcpip::Instant now);
  // The error that was not told yet, which it is now; or 0.
  static int TakeError(TcpDescriptor& d, const TcpView& view);
  // Ends the listener or the attempt to connect; the socket is as new.
  void Disconnect(TcpDescriptor& d, tcpip::Instant now);

  tcpip::Stack& stack_;
  DescriptorTable& table_;
};

}  // namespace conformance

#endif  // CONFORMANCE_POSIX_TCP_H_
