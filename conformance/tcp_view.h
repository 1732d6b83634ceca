// A TCP descriptor as Linux's socket layer would see it: the connection's state
// and error, sk_shutdown, what poll() would say.
#ifndef CONFORMANCE_TCP_VIEW_H_
#define CONFORMANCE_TCP_VIEW_H_

#include <cstdint>

#include "conformance/descriptor.h"
#include "tcpip/stack/stack.h"
#include "tcpip/transport/tcp/observe.h"

namespace conformance {

struct TcpView {
  enum class Phase : uint8_t {
    kNone,        // no connection: new, or a listener
    kConnecting,  // before the handshake is over
    kOpen,
    kClosed,  // CLOSED or TIME-WAIT
  };
  Phase phase = Phase::kNone;
  bool fin_received = false;  // everything before it may be unread
  uint8_t shut = 0;           // TcpDescriptor::Shut, by whoever closed it
  int error = 0;              // not told yet
  tcpip::tcp::TcpInfo info = {};
  uint32_t accept_queue = 0;  // of a listener

  uint64_t unsent_or_unacked() const {
    return info.unsent_bytes + info.unacked_bytes;
  }
};

TcpView LookAt(const TcpDescriptor& d, const tcpip::Stack& stack);

// Is there room enough that a writer is woken? A third, in Linux.
bool IsWritable(const TcpDescriptor& d, const TcpView& view);

ReadyState ReadyStateOf(const TcpDescriptor& d, const TcpView& view);

}  // namespace conformance

#endif  // CONFORMANCE_TCP_VIEW_H_
