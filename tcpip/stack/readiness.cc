#include "tcpip/stack/readiness.h"

namespace tcpip {
namespace {

bool HasNews(const Socket& socket) {
  return (socket.ready_now & ~socket.ready_reported) != 0;
}

}  // namespace

uint8_t ReadyBits::Pack(const tcp::Readiness& readiness) {
  return static_cast<uint8_t>((readiness.readable ? kReadable : 0) |
                              (readiness.writable ? kWritable : 0) |
                              (readiness.connected ? kConnected : 0) |
                              (readiness.read_closed ? kReadClosed : 0) |
                              (readiness.closed ? kClosed : 0));
}

tcp::Readiness ReadyBits::Unpack(uint8_t bits) {
  return {.readable = (bits & kReadable) != 0,
          .writable = (bits & kWritable) != 0,
          .connected = (bits & kConnected) != 0,
          .read_closed = (bits & kReadClosed) != 0,
          .closed = (bits & kClosed) != 0};
}

void ReadyList::Update(Socket& socket, uint8_t ready_now) {
  socket.ready_now = ready_now;
  socket.ready_reported &= ready_now;
  if (HasNews(socket) && socket.owner == SocketOwner::kUser &&
      !socket.IsInReadyList()) {
    list_.PushBack(socket);
  }
}

Socket* ReadyList::Next() {
  while (!list_.empty()) {
    Socket& socket = list_.PopFront();
    if (!HasNews(socket)) continue;  // came and went
    socket.ready_reported = socket.ready_now;
    return &socket;
  }
  return nullptr;
}

}  // namespace tcpip
