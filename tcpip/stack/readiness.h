// The sockets that became ready for something since their users last heard.
//
// A user hears of a socket once per change for the better, and reads the
// present state then. What a socket ceases to be ready for is only noted, so
// that becoming ready again is news: no wake-up is lost between a read that
// found the queue empty and the next arrival.
#ifndef TCPIP_STACK_READINESS_H_
#define TCPIP_STACK_READINESS_H_

#include <cstdint>

#include "tcpip/base/intrusive_list.h"
#include "tcpip/stack/socket.h"
#include "tcpip/transport/tcp/connection.h"

namespace tcpip {

// Readiness and `acceptable` in a byte.
class ReadyBits {
 public:
  enum Bit : uint8_t {
    kReadable = 1,
    kWritable = 2,
    kConnected = 4,
    kReadClosed = 8,
    kClosed = 16,
    kAcceptable = 32,
  };
  static uint8_t Pack(const tcp::Readiness& readiness);
  static tcp::Readiness Unpack(uint8_t bits);
};

class ReadyList {
 public:
  // Notes what the socket is ready for now. Sockets without a user are kept
  // up to date, too, but reported only once a user has them.
  void Update(Socket& socket, uint8_t ready_now);

  // As Update, for what the user knows already: nothing is queued.
  static void SetKnown(Socket& socket, uint8_t ready_now) {
    socket.ready_now = socket.ready_reported = ready_now;
  }

  // The socket longest in the list with something new, or nullptr; it counts
  // as reported.
  Socket* Next();

 private:
  IntrusiveList<Socket, ReadyTag> list_;
};

}  // namespace tcpip

#endif  // TCPIP_STACK_READINESS_H_
