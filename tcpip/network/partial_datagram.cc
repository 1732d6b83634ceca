#include "tcpip/network/partial_datagram.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "tcpip/buffer/view_chain.h"
#include "tcpip/network/ipv4.h"
#include "tcpip/network/ipv6.h"
#include "tcpip/wire/ipv6.h"
#include "tcpip/wire/tcp.h"

namespace tcpip::ip {
namespace {

constexpr bool Has(uint8_t ecn_seen, uint8_t codepoint) {
  return (ecn_seen >> codepoint & 1) != 0;
}

// Are the bytes of the packet from `offset` on these?
bool HasAt(const Packet& packet, size_t offset, ByteSpan bytes) {
  const ByteSpan head =
      packet.head().subspan(std::min(offset, packet.head().size()));
  const size_t in_head = std::min(head.size(), bytes.size());
  if (!std::equal(bytes.begin(), bytes.begin() + in_head, head.begin())) {
    return false;
  }
  bytes = bytes.subspan(in_head);
  if (bytes.empty()) return true;
  const ViewChain rest = packet.body().Slice(
      offset + in_head - packet.head().size(), bytes.size());
  for (size_t i = 0; i < rest.view_count(); ++i) {
    const ByteSpan part = rest.view(i).span();
    if (!std::equal(part.begin(), part.end(), bytes.begin())) return false;
    bytes = bytes.subspan(part.size());
  }
  return true;
}

// The head made as long as a transport header may be: the other fragments may
// have the rest of one. [fault I05]
View WithTransportHeader(View head, uint32_t ip_header_size, ViewChain& body,
                         SlabPool& pool) {
  constexpr uint32_t kLongest = wire::kTcpMaxHeaderSize;
  const size_t wanted = ip_header_size + kLongest;
  if (head.size() >= wanted || body.empty()) return head;
  const ViewChain rest =
      body.SplitFront(std::min(wanted - head.size(), body.size()));
  const auto size = static_cast<uint32_t>(head.size() + rest.size());
  View whole(pool.Allocate(SlabPool::ClassFor(size)), 0, size);
  std::copy_n(head.data(), head.size(), whole.mutable_span().data());
  rest.CopyTo(whole.mutable_span().subspan(head.size()));
  return whole;
}

}  // namespace

// Index of the first piece that ends after `offset`, or the number of pieces.
size_t PartialDatagram::FirstEndingAfter(uint32_t offset) const {
  const auto it = std::partition_point(
      pieces_.begin(), pieces_.end(),
      [offset](const Piece& piece) { return piece.end <= offset; });
  return static_cast<size_t>(it - pieces_.begin());
}

// There is one end, and nothing behind it.
bool PartialDatagram::EndFits(uint32_t end, bool more) const {
  if (total_ != 0) return more ? end < total_ : end == total_;
  return more || pieces_.empty() || end >= pieces_.back().end;
}

PartialDatagram::Fit PartialDatagram::FitOf(
    const Packet& packet, const InboundIp& ip,
    const FragmentFacts& fragment) const {
  const uint32_t begin = fragment.offset;
  const uint32_t end = begin + ip.size - fragment.header_size;
  if (!EndFits(end, fragment.more)) return Fit::kConflict;
  const size_t i = FirstEndingAfter(begin);
  if (i == pieces_.size() || pieces_[i].begin >= end) return Fit::kNew;
  // [RFC 5722 4] with IPv6 any overlap ends the datagram; [RFC 8200 4.5] lets
  // an exact copy of a fragment pass for what it is, a duplicate
  if (ip.family() == IpFamily::kIpv6 &&
      (pieces_[i].begin != begin || pieces_[i].fragment_end != end)) {
    return Fit::kConflict;
  }
  return CompareWith(packet, fragment.header_size, begin, end);
}

// [RFC 791 3.2] lets the newer bytes win, which serves evasion only. As with
// Linux, what is here in full already is ignored, but not when it differs.
// [fault X19]
PartialDatagram::Fit PartialDatagram::CompareWith(const Packet& packet,
                                                  uint32_t header_size,
                                                  uint32_t begin,
                                                  uint32_t end) const {
  uint32_t at = begin;
  for (size_t i = FirstEndingAfter(begin); at < end; ++i) {
    if (i == pieces_.size() || pieces_[i].begin > at) return Fit::kConflict;
    const uint32_t n = std::min<uint32_t>(end, pieces_[i].end) - at;
    const ByteSpan here =
        views_[pieces_[i].view].span().subspan(at - pieces_[i].begin, n);
    if (!HasAt(packet, header_size + (at - begin), here)) {
      return Fit::kConflict;
    }
    at += n;
  }
  return Fit::kDuplicate;
}

void PartialDatagram::Add(Packet packet, const InboundIp& ip,
                          const FragmentFacts& fragment, SlabPool& pool) {
  const auto end =
      static_cast<uint16_t>(fragment.offset + ip.size - fragment.header_size);
  // The first lends its headers to the whole: they stay before its data.
  View data = packet.head_view();
  if (fragment.offset != 0) data.TrimFront(fragment.header_size);
  if (!data.empty()) data = Keep(data, pool);
  if (fragment.offset == 0) {
    data.TrimFront(fragment.header_size);
    first_ip_ = ip;
    first_ = fragment;
  }
  uint32_t at = fragment.offset;
  const auto add = [&](View view) {
    if (view.empty()) return;
    const auto piece_begin = static_cast<uint16_t>(at);
    at += view.size();
    Insert({.begin = piece_begin,
            .end = static_cast<uint16_t>(at),
            .fragment_end = piece_begin == fragment.offset ? end : uint16_t{0},
            .view = static_cast<uint16_t>(views_.size())},
           std::move(view));
  };
  add(std::move(data));
  for (size_t i = 0; i < packet.body().view_count(); ++i) {
    add(Keep(packet.body().view(i), pool));
  }
  assert(at == end);
  if (!fragment.more) total_ = end;
  ecn_seen_ |= static_cast<uint8_t>(1 << (ip.tos & wire::kEcnMask));
  ++fragments_;
  charged_ += kFragmentOverhead;
}

void PartialDatagram::Insert(Piece piece, View view) {
  const size_t i = FirstEndingAfter(piece.begin);
  assert(i == pieces_.size() || pieces_[i].begin >= piece.end);
  pieces_.insert(pieces_.begin() + static_cast<std::ptrdiff_t>(i), piece);
  received_ += view.size();
  views_.push_back(std::move(view));
}

View PartialDatagram::Keep(const View& view, SlabPool& pool) {
  const uint32_t size = view.size();
  if (2 * size >= view.pinned_bytes()) {
    charged_ += view.pinned_bytes();
    return view;
  }
  if (!page_ || page_.capacity() - page_fill_ < size) {
    page_ = pool.Allocate(SlabPool::ClassFor(size));
    page_fill_ = 0;
    charged_ += page_.capacity();
  }
  std::copy_n(view.data(), size, page_.bytes() + page_fill_);
  page_fill_ += size;
  return View(page_, page_fill_ - size, size);
}

View PartialDatagram::First() const {
  assert(has_first());
  View first = views_[pieces_[0].view];
  first.GrowFront(first_.header_size);
  return first;
}

std::optional<DropReason> PartialDatagram::Take(SlabPool& pool, Packet& to) {
  assert(complete());
  // [RFC 3168 5.3] a CE is never lost, and means nothing beside a Not-ECT
  const bool ce = Has(ecn_seen_, wire::kCongestionExperienced);
  if (ce && Has(ecn_seen_, wire::kNotEct)) return DropReason::kIpFragmentEcn;
  const bool v4 = first_ip_.family() == IpFamily::kIpv4;
  const uint32_t dropped_header = v4 ? 0 : wire::kIpv6FragmentHeaderSize;
  const size_t size = first_.header_size - dropped_header + total_;
  // Later fragments were judged by their own headers, which may be shorter.
  if (size > (v4 ? 0xffff : wire::kIpv6HeaderSize + 0xffff)) {
    return DropReason::kIpFragmentBad;
  }
  View head = First();
  views_[pieces_[0].view] = View();
  ViewChain body;
  body.Reserve(pieces_.size() - 1);
  for (size_t i = 1; i < pieces_.size(); ++i) {
    body.Append(std::move(views_[pieces_[i].view]));
  }
  page_ = SlabRef();
  head = WithTransportHeader(std::move(head), first_.header_size, body, pool);
  if (!head.IsSoleOwner()) head = View::Copy(pool, head.span());
  const MutableByteSpan headers = head.mutable_span().first(first_.header_size);
  const auto tos = static_cast<uint8_t>(
      first_ip_.tos | (ce ? wire::kCongestionExperienced : 0));
  if (v4) {
    MakeWholeIpv4(headers, size, tos);
  } else {
    MakeWholeIpv6(headers, first_.named_by, size, tos);
    head.TrimFront(dropped_header);
  }
  to.SetHead(std::move(head));
  to.SetBody(std::move(body));
  return std::nullopt;
}

void PartialDatagram::Clear() {
  constexpr size_t kKept = 64;  // 64 KiB by way of 1,500-byte packets
  if (pieces_.capacity() > kKept) pieces_ = {};
  if (views_.capacity() > kKept) views_ = {};
  pieces_.clear();
  views_.clear();
  page_ = SlabRef();
  page_fill_ = total_ = received_ = fragments_ = charged_ = 0;
  ecn_seen_ = 0;
}

}  // namespace tcpip::ip
