// Ping: one socket's echo requests under way, and the replies that came.
// RFC 792, RFC 4443 4.
//
// A reply counts when it comes from the pinged host with the sequence number
// of a request under way; what arrives twice or unasked does not. Bounded
// both ways: the oldest request under way is forgotten first, replies nobody
// reads are not kept beyond the limit. Messages are network/icmp's.
#ifndef TCPIP_TRANSPORT_ICMP_ECHO_H_
#define TCPIP_TRANSPORT_ICMP_ECHO_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

#include "tcpip/base/time.h"
#include "tcpip/wire/address.h"

namespace tcpip::icmp {

struct EchoReply {
  IpAddress source;
  uint16_t seq = 0;
  size_t payload_bytes = 0;
  uint8_t ttl = 0;
  Duration rtt;
};

class EchoEndpoint {
 public:
  static constexpr size_t kMaxUnderWay = 256;
  static constexpr size_t kMaxReplies = 256;

  // `id` names the socket in its messages.
  EchoEndpoint(const IpAddress& local, const IpAddress& remote, uint16_t id);

  void OnSend(uint16_t seq, Instant now);

  // `reply.rtt` is filled in from `ingress`. False when the reply answers
  // nothing or there is no room for it.
  bool OnReply(EchoReply reply, Instant ingress);

  // The oldest reply, or nullopt.
  std::optional<EchoReply> Dequeue();

  bool readable() const { return !replies_.empty(); }
  const IpAddress& local() const { return local_; }
  const IpAddress& remote() const { return remote_; }
  uint16_t id() const { return id_; }

 private:
  struct Request {
    uint16_t seq;
    Instant sent;
  };

  IpAddress local_;
  IpAddress remote_;
  uint16_t id_;
  std::deque<Request> under_way_;
  std::deque<EchoReply> replies_;
};

}  // namespace tcpip::icmp

#endif  // TCPIP_TRANSPORT_ICMP_ECHO_H_
