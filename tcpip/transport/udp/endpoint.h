// UDP: one socket's queue of received datagrams, what its datagrams leave
// with, and the rules of sizes and of the checksum field. RFC 768, RFC 8200
// 8.1, RFC 1122 4.1.
//
// The queue is bounded by the memory its datagrams keep alive, not by their
// payload: many small ones must not pin many large blocks. Demultiplexing,
// ports and IP are the stack's.
#ifndef TCPIP_TRANSPORT_UDP_ENDPOINT_H_
#define TCPIP_TRANSPORT_UDP_ENDPOINT_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "tcpip/base/ring.h"
#include "tcpip/base/time.h"
#include "tcpip/buffer/slab.h"
#include "tcpip/buffer/view_chain.h"
#include "tcpip/wire/address.h"

namespace tcpip::udp {

// A datagram that came in, and what its packet said.
struct Datagram {
  IpEndpoint source;
  IpEndpoint destination;  // our address, whatever the socket is bound to
  uint16_t interface = 0;  // that it came in by
  uint8_t ttl = 0;         // IPv6: hop limit
  uint8_t tos = 0;         // IPv6: traffic class. ECN is its last two bits
  Instant arrival = {};    // at the link
  ViewChain payload = {};
  // Bytes of payload that came; payload.size() is less after a short read.
  size_t size = 0;
};

// What a socket's datagrams leave with.
struct Settings {
  uint8_t ttl = 0;  // IPv6: hop limit. 0: the stack's
  uint8_t tos = 0;  // IPv6: traffic class. ECN is its last two bits
  // What exceeds the path's MTU is refused, not fragmented.
  bool dont_fragment = false;
};

// What one datagram leaves with instead: ancillary data, as sendmsg(2) has it.
struct Control {
  std::optional<IpAddress> source = std::nullopt;  // one of ours
  std::optional<uint8_t> ttl = std::nullopt;
  std::optional<uint8_t> tos = std::nullopt;
};

// How to read.
struct ReceiveOptions {
  size_t max_bytes = SIZE_MAX;  // the rest of the datagram is lost
  bool peek = false;            // leaves the datagram where it is
};

// What a queued datagram costs besides its blocks: empty ones are not free.
inline constexpr size_t kDatagramOverhead = 256;

// Largest payload that IP's length fields allow.
constexpr size_t MaxPayload(IpFamily family) {
  return family == IpFamily::kIpv4 ? 65507 : 65527;
}

class Endpoint {
 public:
  Endpoint(const IpEndpoint& local, uint32_t receive_queue_bytes,
           const Settings& settings)
      : local_(local), limit_(receive_queue_bytes), settings_(settings) {}

  // False when the queue is full; the datagram is dropped then. `pool` serves
  // to copy a small payload out of a large block.
  bool Enqueue(Datagram datagram, SlabPool& pool);
  // The oldest, or nullopt.
  std::optional<Datagram> Receive(const ReceiveOptions& options);

  // Nobody took a datagram of ours; to be told to the user once.
  void OnRefused() { refused_ = true; }
  bool TakeRefusal() { return std::exchange(refused_, false); }

  // Where it sends from and to. What waits already stays.
  void SetEnds(const IpEndpoint& local,
               const std::optional<IpEndpoint>& remote) {
    local_ = local;
    remote_ = remote;
  }
  void SetSettings(const Settings& settings) { settings_ = settings; }

  bool readable() const { return !queue_.empty(); }
  size_t charged_bytes() const { return charged_; }
  const IpEndpoint& local() const { return local_; }
  const std::optional<IpEndpoint>& remote() const { return remote_; }
  const Settings& settings() const { return settings_; }

 private:
  IpEndpoint local_;
  std::optional<IpEndpoint> remote_;
  bool refused_ = false;
  size_t limit_;
  size_t charged_ = 0;
  Settings settings_;
  Ring<Datagram> queue_;
};

}  // namespace tcpip::udp

#endif  // TCPIP_TRANSPORT_UDP_ENDPOINT_H_
