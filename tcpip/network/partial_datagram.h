// PartialDatagram: the fragments of one packet that have arrived, of either
// family, and how one more fits them. RFC 791 3.2, RFC 8200 4.5, RFC 5722,
// RFC 3168 5.3.
//
//   first    [ IP headers | 0 ... 24 )
//   another                         . [ 32 ... 56 )
//   last                                         . [ 56 .. 61 )    total: 61
//
// Fragments keep the blocks they came in, except where that would pin more
// than twice what they bring; these are copied together. No two pieces
// overlap: what does is either refused alone, as a duplicate, or the end of the
// datagram. Owned by Reassembly, which knows keys, time and limits.
#ifndef TCPIP_NETWORK_PARTIAL_DATAGRAM_H_
#define TCPIP_NETWORK_PARTIAL_DATAGRAM_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "tcpip/base/bytes.h"
#include "tcpip/buffer/packet.h"
#include "tcpip/buffer/slab.h"
#include "tcpip/buffer/view.h"
#include "tcpip/network/drop_reason.h"
#include "tcpip/network/ip_facts.h"

namespace tcpip::ip {

class PartialDatagram {
 public:
  // What a fragment costs beside the blocks it pins.
  static constexpr size_t kFragmentOverhead = 32;

  enum class Fit : uint8_t {
    kNew,        // may be added
    kDuplicate,  // brings nothing new, and the same bytes
    kConflict,   // contradicts what is here: nothing of it can be trusted
  };
  // Packets have passed the input checks and start with their IP header. What
  // is compared is what overlaps. O(log(pieces) + bytes of it).
  Fit FitOf(const Packet& packet, const InboundIp& ip,
            const FragmentFacts& fragment) const;

  // Only what fits as kNew. O(log(pieces)) and a move of pieces, 8 bytes each.
  void Add(Packet packet, const InboundIp& ip, const FragmentFacts& fragment,
           SlabPool& pool);

  bool complete() const { return total_ != 0 && received_ == total_; }
  // Puts a complete datagram together, or says why that cannot be. Leaves this
  // to be cleared.
  std::optional<DropReason> Take(SlabPool& pool, Packet& to);

  // The contiguous start of the first fragment, as it came, and its facts.
  bool has_first() const { return !pieces_.empty() && pieces_[0].begin == 0; }
  View First() const;
  const InboundIp& first_ip() const { return first_ip_; }

  size_t charged_bytes() const { return charged_; }
  uint32_t fragments() const { return fragments_; }

  // Forgets all; storage of the usual size is kept.
  void Clear();

 private:
  // Of the whole packet's data; `view` is an index.
  struct Piece {
    uint16_t begin;
    uint16_t end;
    uint16_t fragment_end;  // 0 unless a fragment begins here
    uint16_t view;
  };

  View Keep(const View& view, SlabPool& pool);
  void Insert(Piece piece, View view);
  size_t FirstEndingAfter(uint32_t offset) const;
  bool EndFits(uint32_t end, bool more) const;
  Fit CompareWith(const Packet& packet, uint32_t header_size, uint32_t begin,
                  uint32_t end) const;

  std::vector<Piece> pieces_;  // by offset
  std::vector<View> views_;    // in the order of arrival
  SlabRef page_;               // what was copied; more fits behind page_fill_
  uint32_t page_fill_ = 0;
  uint32_t total_ = 0;     // bytes of data; 0: the last has not come
  uint32_t received_ = 0;  // of them
  uint32_t fragments_ = 0;
  uint32_t charged_ = 0;
  uint8_t ecn_seen_ = 0;  // bit per ECN codepoint
  InboundIp first_ip_;    // has_first() only, as is
  FragmentFacts first_;
};

}  // namespace tcpip::ip

#endif  // TCPIP_NETWORK_PARTIAL_DATAGRAM_H_
