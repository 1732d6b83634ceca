// Host: what a script is run against, seen from its wire and its sockets. Two
// are behind this seam: our stack in virtual time, and the kernel of this
// machine in real time.
//
// Time counts from the script's start. Whoever holds a Host decides how far
// time goes: nothing happens between calls.
#ifndef CONFORMANCE_HOST_H_
#define CONFORMANCE_HOST_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "conformance/call.h"
#include "tcpip/base/bytes.h"
#include "tcpip/base/time.h"

namespace conformance {

struct SentPacket {
  tcpip::Duration at;
  std::vector<uint8_t> bytes;  // an IP packet, perhaps a super-segment
};

class Host {
 public:
  using CallId = uint64_t;

  virtual ~Host() = default;

  virtual tcpip::Duration now() const = 0;
  // Lets time pass until `when`, not before which this returns. Does nothing
  // when that is past.
  virtual void AdvanceTo(tcpip::Duration when) = 0;

  // An IP packet arrives now.
  virtual void Inject(tcpip::ByteSpan packet) = 0;
  // The oldest packet the host sent that was not taken yet; lets time pass
  // until there is one, up to `until`.
  virtual std::optional<SentPacket> NextPacket(tcpip::Duration until) = 0;

  // A call that blocks goes on while time passes.
  virtual CallId StartCall(const Call& call) = 0;
  struct Finished {
    tcpip::Duration at;
    CallResult result;
  };
  // The call's result, once; lets time pass until there is one, up to `until`.
  virtual std::optional<Finished> FinishCall(CallId id,
                                             tcpip::Duration until) = 0;

  // The states of all connections and listeners, as ss(8) names them.
  virtual std::vector<std::string> TcpStates() = 0;
  // Aborts all connections.
  virtual void DropConnections() = 0;
};

}  // namespace conformance

#endif  // CONFORMANCE_HOST_H_
