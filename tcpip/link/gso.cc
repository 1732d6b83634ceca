#include "tcpip/link/gso.h"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <utility>

#include "tcpip/base/bytes.h"
#include "tcpip/base/checksum.h"
#include "tcpip/buffer/slab.h"
#include "tcpip/buffer/view.h"
#include "tcpip/buffer/view_chain.h"
#include "tcpip/link/tcp_frame.h"
#include "tcpip/wire/ipv4.h"
#include "tcpip/wire/tcp.h"

namespace tcpip {
namespace {

// Payload and its sum.
struct Part {
  ViewChain bytes;
  PartialSum sum;
};

// Walks a packet's payload from front to back.
class PayloadCursor {
 public:
  PayloadCursor(const Packet& packet, uint32_t header_size)
      : packet_(packet), at_(header_size) {}

  // The next n bytes, in references; where that would be more than a chain
  // holds without heap memory, in a copy.
  Part Take(SlabPool& pool, uint32_t n) {
    SkipUsedUp();
    return FitsTwoViews(n) ? Refer(n) : Gather(pool, n);
  }

 private:
  const View& view(size_t i) const {
    return i == 0 ? packet_.head_view() : packet_.body().view(i - 1);
  }
  void SkipUsedUp() {
    while (index_ <= packet_.body().view_count() &&
           view(index_).size() == at_) {
      ++index_;
      at_ = 0;
    }
  }
  bool FitsTwoViews(uint32_t n) const {
    const uint32_t here = n == 0 ? 0 : view(index_).size() - at_;
    return n <= here || (index_ < packet_.body().view_count() &&
                         n <= here + view(index_ + 1).size());
  }
  // Up to n bytes, those of one view.
  View Next(uint32_t n) {
    SkipUsedUp();
    const View& here = view(index_);
    View part = here.Slice(at_, std::min(n, here.size() - at_));
    at_ += part.size();
    return part;
  }

  Part Refer(uint32_t n) {
    Part part;
    while (part.bytes.size() < n) {
      const auto done = static_cast<uint32_t>(part.bytes.size());
      View view = Next(n - done);
      part.sum.Combine(SumBytes(view.span()), done);
      part.bytes.Append(std::move(view));
    }
    return part;
  }
  Part Gather(SlabPool& pool, uint32_t n) {
    Part part;
    SlabRef block = pool.Allocate(SlabPool::ClassFor(n));
    for (uint32_t done = 0; done < n;) {
      const View view = Next(n - done);
      part.sum.Combine(CopyAndSum(view.span(), block.bytes() + done), done);
      done += view.size();
    }
    part.bytes.Append(View(std::move(block), 0, n));
    return part;
  }

  const Packet& packet_;
  size_t index_ = 0;  // 0 is the head, i the body's view i - 1
  uint32_t at_;       // bytes of that view that are behind
};

// A super-segment and what its pieces have in common.
class Splitter {
 public:
  explicit Splitter(const Packet& packet)
      : packet_(packet),
        frame_(FrameOf(packet)),
        payload_(packet, frame_.header_size()),
        payload_bytes_(
            static_cast<uint32_t>(packet.size() - frame_.header_size())) {}

  void Split(PacketBatch& to) {
    const uint32_t gso_size = packet_.offload().gso_size;
    uint16_t index = 0;
    uint32_t at = 0;
    do {
      const uint32_t rest = payload_bytes_ - at;
      const uint32_t n = gso_size == 0 ? rest : std::min(gso_size, rest);
      to.push_back(Piece(index++, at, n));
      at += n;
    } while (at < payload_bytes_);
  }

 private:
  static TcpFrame FrameOf(const Packet& packet) {
    const uint8_t* const front = packet.head().data();
    const Offload& offload = packet.offload();
    const TcpFrame frame = offload.checksum == ChecksumState::kPartial
                               ? TcpFrame(front, offload.checksum_start)
                               : TcpFrame(front);
    assert(frame.header_size() <= packet.head().size());
    return frame;
  }

  // The piece of n bytes of payload that starts `at` bytes into it.
  Packet Piece(uint16_t index, uint32_t at, uint32_t n) {
    SlabPool& pool = packet_.head_view().pool();
    Packet piece = Packet::WithHeadroom(pool);
    const MutableByteSpan head = piece.AppendToHead(frame_.header_size());
    std::copy_n(frame_.ip(), head.size(), head.data());

    uint8_t* const tcp = head.data() + frame_.ip_header_size();
    StoreBe32(tcp + wire::kTcpSeqOffset, frame_.seq() + at);
    tcp[wire::kTcpFlagsOffset] =
        PieceFlags(at == 0, at + n == payload_bytes_).bits();
    Part part = payload_.Take(pool, n);
    StoreBe16(tcp + wire::kTcpChecksumOffset, 0);
    const uint32_t tcp_header_size = frame_.tcp_header_size();
    const PartialSum sum = frame_.PseudoHeader(tcp_header_size + n)
                               .Combine(SumBytes({tcp, tcp_header_size}), 0)
                               .Combine(part.sum, 0);
    StoreBe16(tcp + wire::kTcpChecksumOffset, sum.Checksum());

    if (frame_.IsIpv4() && !frame_.HasConstantId()) {
      StoreBe16(head.data() + wire::kIpv4IdOffset,
                static_cast<uint16_t>(frame_.id() + index));
    }
    SealIp(head.data(), head.size() + n);
    piece.SetBody(std::move(part.bytes));
    piece.set_ingress(packet_.ingress());
    return piece;
  }

  // What must be seen once is on one piece only: the end of the stream or of a
  // write on the last, the reduced congestion window on the first.
  // [RFC 3168 6.1.2]
  wire::TcpFlags PieceFlags(bool first, bool last) const {
    int drop = 0;
    if (!last) drop |= wire::TcpFlags::kFin | wire::TcpFlags::kPsh;
    if (!first) drop |= wire::TcpFlags::kCwr;
    return frame_.flags().Without(drop);
  }

  const Packet& packet_;
  const TcpFrame frame_;
  PayloadCursor payload_;
  const uint32_t payload_bytes_;
};

}  // namespace

void SplitGso(const Packet& packet, PacketBatch& to) {
  Splitter(packet).Split(to);
}

void CompleteChecksum(Packet& packet) {
  Offload& offload = packet.offload();
  if (offload.checksum != ChecksumState::kPartial) return;
  assert(offload.gso_type == GsoType::kNone);
  const MutableByteSpan covered =
      packet.mutable_head().subspan(offload.checksum_start);
  // The field holds the pseudo header's share, which the sum takes in.
  const PartialSum sum = SumOf(packet, offload.checksum_start);
  StoreBe16(&covered[offload.checksum_offset], NonZeroChecksum(sum.Checksum()));
  offload.checksum = ChecksumState::kUnverified;
}

}  // namespace tcpip
