// Packet: one IP packet on its way in or out, with the facts a link offloads.
//
//   head:  [ headroom | link, IP and transport headers ... ]  one small block
//   body:  payload views, shared with the queues of the transport
//
// On the way in the link fills `head` (and `body` when the packet is larger
// than one small block); layers trim headers off the front. On the way out
// each layer prepends its header into the head's headroom. Headers are always
// contiguous in head. A Packet may be a super-segment: one set of headers and
// up to kMaxGsoPayload bytes, to be cut at gso_size.
#ifndef TCPIP_BUFFER_PACKET_H_
#define TCPIP_BUFFER_PACKET_H_

#include <cstdint>
#include <vector>

#include "tcpip/base/bytes.h"
#include "tcpip/base/checksum.h"
#include "tcpip/base/time.h"
#include "tcpip/buffer/slab.h"
#include "tcpip/buffer/view.h"
#include "tcpip/buffer/view_chain.h"

namespace tcpip {

// Room before the headers of an outgoing packet: IPv6 (40) and TCP with all
// options (60), the virtio-net header (12), rounded up.
inline constexpr uint32_t kPacketHeadroom = 128;

// Largest payload of a super-segment: what an IP length of 16 bits leaves
// beside an IPv6 header, which IPv4 counts too, and TCP with all options.
inline constexpr uint32_t kMaxGsoPayload = 65535 - 40 - 60;

enum class ChecksumState : uint8_t {
  kUnverified,  // in: nobody has looked. out: complete, written by the stack
  kVerified,    // in: the link vouches for the transport checksum
  // The field holds the pseudo-header sum; the link completes it. A complete
  // sum of zero goes out as all ones, as UDP needs it and TCP may have it;
  // Linux does so for its devices.
  kPartial,
};

enum class GsoType : uint8_t { kNone, kTcp4, kTcp6 };

struct Offload {
  GsoType gso_type = GsoType::kNone;
  uint16_t gso_size = 0;  // payload bytes of each cut segment; 0 = do not cut
  ChecksumState checksum = ChecksumState::kUnverified;
  uint16_t checksum_start = 0;   // kPartial: offset of the transport header
  uint16_t checksum_offset = 0;  // kPartial: offset of the field in it
};

class Packet {
 public:
  Packet() = default;

  // An outgoing packet: an empty head with kPacketHeadroom bytes in front.
  static Packet WithHeadroom(SlabPool& pool);

  // A packet holding a copy of `bytes`, as if a link had read it.
  static Packet Copy(SlabPool& pool, ByteSpan bytes);

  // A packet of the same bytes, facts and time; neither may be written while
  // both are there.
  Packet Share() const;

  size_t size() const { return head_.size() + body_.size(); }

  // The contiguous bytes at the front.
  ByteSpan head() const { return head_.span(); }
  const View& head_view() const { return head_; }
  const ViewChain& body() const { return body_; }

  // Adds n bytes before the head and returns them for writing.
  MutableByteSpan Prepend(uint32_t n);
  // Adds n bytes after the head, before the body. n <= tail room.
  MutableByteSpan AppendToHead(uint32_t n);
  // The head's bytes for rewriting a field; sole owner only.
  MutableByteSpan mutable_head() { return head_.mutable_span(); }

  void TrimFront(size_t n);  // n <= head().size()
  // Takes back the last n bytes trimmed off the front of the same head.
  void UntrimFront(size_t n) { head_.GrowFront(static_cast<uint32_t>(n)); }
  void TrimToSize(size_t n);  // drops link padding at the end
  void SetHead(View head) { head_ = std::move(head); }
  void SetBody(ViewChain body) { body_ = std::move(body); }

  // Everything that is left as payload; the packet is empty afterwards.
  ViewChain TakePayload();

  Offload& offload() { return offload_; }
  const Offload& offload() const { return offload_; }

  // When the link received it: the time of RTT samples, never the time of
  // processing.
  Instant ingress() const { return ingress_; }
  void set_ingress(Instant t) { ingress_ = t; }

 private:
  View head_;
  ViewChain body_;
  Offload offload_;
  Instant ingress_;
};

// The sum of the packet's bytes from `from` on, which is in its head.
PartialSum SumOf(const Packet& packet, size_t from = 0);

// Packets in order; owners reuse one so that its storage is allocated once.
using PacketBatch = std::vector<Packet>;

}  // namespace tcpip

#endif  // TCPIP_BUFFER_PACKET_H_
