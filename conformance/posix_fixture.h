// For the tests of the POSIX layer: a process on a stack in virtual time, and
// peers that send what the test says and remember what they have heard.
#ifndef CONFORMANCE_POSIX_FIXTURE_H_
#define CONFORMANCE_POSIX_FIXTURE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "conformance/call.h"
#include "conformance/posix_sockets.h"
#include "tcpip/base/time.h"
#include "tcpip/stack/stack_fixture.h"
#include "tcpip/testing/packet_reader.h"
#include "tcpip/wire/address.h"

namespace conformance {

// The other end of one connection.
struct Peer {
  tcpip::IpEndpoint self;
  tcpip::IpEndpoint host;
  uint32_t seq = 1000;      // of what it sends next
  uint32_t ack = 0;         // has heard everything before
  uint16_t window = 65535;  // unscaled
  size_t bytes = 0;         // of payload heard
  std::string flags = "";   // of all segments heard: "S. . P. F."
};

// The host is 10.0.0.1 and 2001:db8::1; peers are at 10.0.0.2.
class PosixFixture {
 public:
  explicit PosixFixture(const PosixDefaults& defaults = {});

  PosixSockets& sockets() { return sockets_; }
  tcpip::Stack& stack() { return host_.stack(); }
  tcpip::Instant now() const { return now_; }

  // A call that finishes at once; the test fails when it does not.
  CallResult Do(const Call& call);
  // A call that blocks; the test fails when it does not.
  PosixSockets::CallId Begin(const Call& call);
  // Lets time pass, stepping what is due meanwhile.
  void Pass(tcpip::Duration duration);

  int Socket(int flags = 0);
  // Bound to port 8080 of the host.
  int Listener(int backlog = 5, int flags = 0);
  // A connection of a listener from a peer's port that nobody has accepted.
  Peer Knock(uint16_t port = 40000);
  // Likewise, accepted. Opens the listener when there is none.
  struct Connection {
    int fd;
    Peer peer;
  };
  Connection Accepted();
  // Has started to connect to a peer, who has heard the SYN.
  struct Connecting {
    int fd;
    PosixSockets::CallId call;
    Peer peer;
  };
  Connecting Connect(int flags = 0);

  // The peer sends a segment that acknowledges all it has heard: flags as in
  // scripts ("S", "P.", "F.", "R."). Then it hears what comes of it.
  void Send(Peer& peer, std::string_view flags, size_t bytes = 0);
  // The peer hears what the host has sent since.
  void Hear(Peer& peer);
  void Receive(const tcpip::sim::Bytes& packet);

 private:
  void Settle();

  tcpip::Host host_;
  PosixSockets sockets_;
  tcpip::Instant now_ = tcpip::kTestStart;
  std::optional<int> listener_;
  std::vector<tcpip::sim::Bytes> sent_;
};

// What a call came to: "5", "-1 EAGAIN", "unsupported: option TCP_CORK".
std::string Said(const CallResult& result);

}  // namespace conformance

#endif  // CONFORMANCE_POSIX_FIXTURE_H_
