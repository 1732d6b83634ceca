// UDP: one socket's queue of received datagrams, and the rules of the checksum
// and of sizes. RFC 768, RFC 8200 8.1, RFC 1122 4.1.
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
#include <vector>

#include "tcpip/base/checksum.h"
#include "tcpip/buffer/slab.h"
#include "tcpip/buffer/view_chain.h"
#include "tcpip/wire/address.h"

namespace tcpip::udp {

struct Datagram {
  IpEndpoint source;
  IpEndpoint destination;
  ViewChain payload;
};

// What a queued datagram costs besides its blocks: empty ones are not free.
inline constexpr size_t kDatagramOverhead = 256;

// Largest payload that IP's length fields allow.
constexpr size_t MaxPayload(IpFamily family) {
  return family == IpFamily::kIpv4 ? 65507 : 65527;
}

// True when a received checksum may stand. `sum` covers pseudo header, header
// and payload. Zero means "none": fine for IPv4, forbidden for IPv6.
// [RFC 768], [RFC 8200 8.1]
bool IsChecksumAcceptable(IpFamily family, uint16_t field, PartialSum sum);

// The field for a sum taken with the field at zero; a computed zero goes out
// as all ones. [RFC 768]
uint16_t ChecksumField(PartialSum sum);

class Endpoint {
 public:
  // Takes datagrams from `remote` only, when there is one.
  Endpoint(const IpEndpoint& local, const std::optional<IpEndpoint>& remote,
           uint32_t receive_queue_bytes);

  // False when the queue is full; the datagram is dropped then. `pool` serves
  // to copy a small payload out of a large block.
  bool Enqueue(Datagram datagram, SlabPool& pool);
  // The oldest, or nullopt.
  std::optional<Datagram> Dequeue();

  // Nobody took a datagram of ours; to be told to the user once.
  void OnRefused() { refused_ = true; }
  bool TakeRefusal() { return std::exchange(refused_, false); }

  bool AcceptsFrom(const IpEndpoint& source) const {
    return !remote_ || *remote_ == source;
  }
  bool readable() const { return next_ < queue_.size(); }
  size_t charged_bytes() const { return charged_; }
  const IpEndpoint& local() const { return local_; }
  const std::optional<IpEndpoint>& remote() const { return remote_; }

 private:
  IpEndpoint local_;
  std::optional<IpEndpoint> remote_;
  bool refused_ = false;
  size_t limit_;
  size_t charged_ = 0;
  // [next_, end) waits; the part before is cut off when it is half of all, so
  // that the storage stays and moves are few.
  std::vector<Datagram> queue_;
  size_t next_ = 0;
};

}  // namespace tcpip::udp

#endif  // TCPIP_TRANSPORT_UDP_ENDPOINT_H_
