// For the tests of the POSIX layer: a process on a stack in virtual time, and
// a peer that sends what the test says and remembers what it was sent.
#ifndef CONFORMANCE_POSIX_FIXTURE_H_
#define CONFORMANCE_POSIX_FIXTURE_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "conformance/call.h"
#include "conformance/posix_sockets.h"
#include "tcpip/base/time.h"
#include "tcpip/stack/stack_fixture.h"
#include "tcpip/testing/packet_reader.h"
#include "tcpip/wire/address.h"
#include "tcpip/wire/tcp.h"

namespace conformance {

// The other end of one connection.
struct Peer {
  tcpip::IpEndpoint self;
  tcpip::IpEndpoint host;
  uint32_t seq = 1000;  // of what it sends next
  uint32_t ack = 0;     // what it has heard, all of it
  uint16_t window = 65535;
  tcpip::wire::TcpFlags heard = {};  // flags of the last segment
};

class PosixFixture {
 public:
  explicit PosixFixture(const PosixDefaults& defaults = {});

  tcpip::Instant now() const { return now_; }
  PosixSockets& sockets() { return sockets_; }
  tcpip::Stack& stack() { return host_.stack(); }

  // A call that finishes at once; aborts the test when it does not.
  CallResult Do(const Call& call);
  // Lets time pass, stepping what is due.
  void Pass(tcpip::Duration duration);

  // --- Peers.
  // Bound to 10.0.0.1:8080, listening.
  int Listen(int backlog = 5);
  // The handshake with a listener, from a new port; nobody has accepted it.
  Peer Knock(uint16_t port = 40000);
  // The same, accepted.
  struct Accepted {
    int fd;
    Peer peer;
  };
  Accepted Accept(uint16_t port = 40000);
  // A socket whose SYN has left for 10.0.0.2:8080, and who hears it.
  struct Connecting {
    int fd;
    PosixSockets::CallId call;
    Peer peer;
  };
  Connecting Connect();

  // The peer sends a segment that acknowledges all it has heard ("A" aside),
  // letters as in scripts: "S", ".", "F.", "R.", "P.".
  void Send(Peer& peer, std::string_view flags, size_t bytes = 0);
  // The peer says what it has heard.
  void Hear(Peer& peer);
  // What the stack sent and no peer has taken.
  const std::vector<sim_Bytes>& sent() const { return sent_; }

 private:
  void Step();

  tcpip::Host host_;
  PosixSockets sockets_;
  tcpip::Instant now_ = tcpip::kTestStart;
};

}  // namespace conformance

#endif  // CONFORMANCE_POSIX_FIXTURE_H_
