#include "conformance/tcp_view.h"

#include <vector>

#include "conformance/linux_constants.h"
#include "tcpip/stack/summary.h"

namespace conformance {
namespace {

using tcpip::Stack;
using tcpip::tcp::Readiness;
using tcpip::tcp::TcpError;
using Phase = TcpView::Phase;
using Role = TcpDescriptor::Role;

int ErrnoOf(TcpError error, bool fin_received) {
  switch (error) {
    case TcpError::kNone:
      return 0;
    case TcpError::kRefused:
      return Linux("ECONNREFUSED");
    case TcpError::kReset:
      // The peer had said all it wanted to say: only writing fails.
      return fin_received ? Linux("EPIPE") : Linux("ECONNRESET");
    case TcpError::kTimedOut:
      return Linux("ETIMEDOUT");
    case TcpError::kNetUnreachable:
      return Linux("ENETUNREACH");
    case TcpError::kUnreachable:
      return Linux("EHOSTUNREACH");
    case TcpError::kProtocol:
      return Linux("EPROTO");
    case TcpError::kAborted:
      return Linux("ECONNABORTED");
  }
  return Linux("EIO");
}

uint32_t AcceptQueueOf(const TcpDescriptor& d, const Stack& stack) {
  uint32_t cursor = d.socket.slot;
  const std::vector<tcpip::SocketSummary> listener =
      stack.ListSockets(cursor, 1);
  return static_cast<uint32_t>(listener.at(0).receive_queue);
}

Phase PhaseOf(const Readiness& readiness) {
  if (readiness.closed) return Phase::kClosed;
  return readiness.connected ? Phase::kOpen : Phase::kConnecting;
}

}  // namespace

TcpView LookAt(const TcpDescriptor& d, const Stack& stack) {
  TcpView view;
  view.shut = d.shut;
  if (d.role == Role::kListening) {
    view.info.state = tcpip::tcp::TcpState::kListen;
    view.accept_queue = AcceptQueueOf(d, stack);
    return view;
  }
  if (d.role == Role::kFresh) return view;
  // Somebody else may have aborted the connection: then its id is stale.
  const auto readiness = stack.GetReadiness(d.socket);
  const bool exists = readiness.ok();
  view.phase = exists ? PhaseOf(*readiness) : Phase::kClosed;
  view.fin_received = exists && readiness->read_closed;
  if (view.fin_received) view.shut |= TcpDescriptor::kRead;
  if (view.phase == Phase::kClosed) view.shut = TcpDescriptor::kBoth;
  if (!d.error_taken) {
    view.error =
        ErrnoOf(exists ? *stack.TcpGetError(d.socket) : TcpError::kAborted,
                view.fin_received);
  }
  if (exists) view.info = *stack.TcpGetInfo(d.socket);
  return view;
}

bool IsWritable(const TcpDescriptor& d, const TcpView& view) {
  const uint64_t size = d.options.settings.send_buffer_bytes;
  const uint64_t used = view.unsent_or_unacked();
  return used <= size && size - used >= used / 2;
}

ReadyState ReadyStateOf(const TcpDescriptor& d, const TcpView& view) {
  constexpr uint32_t kIn = Linux("POLLIN") | Linux("POLLRDNORM");
  constexpr uint32_t kOut = Linux("POLLOUT") | Linux("POLLWRNORM");
  if (d.role == Role::kListening) {
    return {.events = view.accept_queue > 0 ? kIn : 0,
            .arrivals = d.accepted + view.accept_queue};
  }
  ReadyState ready;
  ready.arrivals = view.info.octets_in;
  const bool is_closed =
      view.phase == Phase::kNone || view.phase == Phase::kClosed;
  if (is_closed || view.shut == TcpDescriptor::kBoth) {
    ready.events |= Linux("POLLHUP");
  }
  if (view.shut & TcpDescriptor::kRead) {
    ready.events |= kIn | Linux("POLLRDHUP");
  }
  if (view.error != 0) ready.events |= Linux("POLLERR");
  if (view.phase == Phase::kConnecting) return ready;
  if (view.info.readable_bytes > 0) ready.events |= kIn;
  // Who may not write need not wait to hear so.
  if ((view.shut & TcpDescriptor::kWrite) || IsWritable(d, view)) {
    ready.events |= kOut;
  }
  return ready;
}

}  // namespace conformance
