#include "tcpip/wire/ipv6.h"

#include <algorithm>
#include <cassert>

namespace tcpip::wire {
namespace {

enum NextHeader : uint8_t {
  kHopByHop = 0,
  kRouting = 43,
  kNoNext = 59,
  kDestinationOptions = 60,
};

constexpr int kMaxExtensionHeaders = 8;

// Walks the extension headers of one packet. `packet` is what may be read: the
// front, cut to the payload length.
class ExtensionWalk {
 public:
  ExtensionWalk(ByteSpan packet, ParsedIpv6& result)
      : packet_(packet), result_(result) {}

  void Run(uint8_t first_header);

 private:
  // Each says whether the walk goes on, and sets result_.walk when not.
  bool Step();
  bool OnOptions();
  bool OnRouting();
  bool OnFragment();

  bool Stop(Ipv6WalkResult why) {
    result_.walk = why;
    return false;
  }
  bool StopAt(Ipv6WalkResult why, size_t problem_offset) {
    result_.problem_offset = static_cast<uint32_t>(problem_offset);
    return Stop(why);
  }

  // Steps over an extension header of `size` bytes.
  bool Skip(size_t size) {
    named_by_ = offset_;
    header_ = packet_[offset_];
    offset_ += size;
    return true;
  }

  // Size of the header at offset_, whose length field counts 8-byte units
  // after the first; 0 when it runs out of the packet.
  size_t GenericHeaderSize() const {
    const size_t left = packet_.size() - offset_;
    if (left < 2) return 0;
    const size_t size = (packet_[offset_ + 1] + size_t{1}) * 8;
    return size <= left ? size : 0;
  }

  const ByteSpan packet_;
  ParsedIpv6& result_;
  size_t offset_ = kIpv6HeaderSize;          // where header_ begins
  size_t named_by_ = kIpv6NextHeaderOffset;  // the next header field naming it
  uint8_t header_ = kNoNext;
  bool fragment_header_seen_ = false;
};

void ExtensionWalk::Run(uint8_t first_header) {
  header_ = first_header;
  int walked = 0;
  while (Step()) {
    if (++walked > kMaxExtensionHeaders) {
      Stop(Ipv6WalkResult::kTooMany);
      break;
    }
  }
  result_.transport_protocol = header_;
  result_.transport_offset = static_cast<uint32_t>(offset_);
}

bool ExtensionWalk::Step() {
  switch (header_) {
    case kHopByHop:
      // [RFC 8200 4.1] only directly after the fixed header; anywhere else it
      // is a next header nobody knows.
      if (offset_ != kIpv6HeaderSize) break;
      return OnOptions();
    case kDestinationOptions:
      return OnOptions();
    case kRouting:
      return OnRouting();
    case kIpv6FragmentHeader:
      return OnFragment();
    case kNoNext:
      return Stop(Ipv6WalkResult::kNoNextHeader);
    default:
      break;
  }
  return StopAt(Ipv6WalkResult::kTransport, named_by_);
}

bool ExtensionWalk::OnOptions() {
  const size_t size = GenericHeaderSize();
  if (size == 0) return Stop(Ipv6WalkResult::kTruncated);
  const size_t end = offset_ + size;
  size_t at = offset_ + 2;
  while (at < end) {
    const uint8_t type = packet_[at];
    if (type == 0) {  // Pad1, the only option without a length
      ++at;
      continue;
    }
    // [RFC 8200 4.2] the two top bits say what to do with an unknown option;
    // every option this stack could meet and ignore has them clear.
    const uint8_t action = type >> 6;
    if (action != 0) {
      result_.problem_option_action = action;
      return StopAt(Ipv6WalkResult::kUnknownOption, at);
    }
    if (end - at < 2 || end - at - 2 < packet_[at + 1]) {
      return Stop(Ipv6WalkResult::kTruncated);
    }
    at += size_t{2} + packet_[at + 1];
  }
  return Skip(size);
}

bool ExtensionWalk::OnRouting() {
  const size_t size = GenericHeaderSize();
  if (size == 0) return Stop(Ipv6WalkResult::kTruncated);
  // [RFC 8200 4.4] ignored without segments left, else the routing type is
  // the problem. [RFC 5095 3] that covers type 0.
  if (packet_[offset_ + 3] != 0) {
    return StopAt(Ipv6WalkResult::kRoutingHeader, offset_ + 2);
  }
  return Skip(size);
}

bool ExtensionWalk::OnFragment() {
  if (packet_.size() - offset_ < kIpv6FragmentHeaderSize) {
    return Stop(Ipv6WalkResult::kTruncated);
  }
  // [RFC 8200 4.1] at most one of a kind: nothing makes fragments of fragments
  if (fragment_header_seen_) return Stop(Ipv6WalkResult::kTooMany);
  fragment_header_seen_ = true;
  const uint8_t* const p = packet_.data() + offset_;
  const uint16_t field = LoadBe16(p + 2);
  const Ipv6FragmentAt fragment = {
      .header = {.offset = static_cast<uint16_t>(field & ~7),
                 .more_fragments = (field & 1) != 0,
                 .identification = LoadBe32(p + 4)},
      .offset = static_cast<uint32_t>(offset_),
      .named_by = static_cast<uint32_t>(named_by_),
      .next_header = p[0]};
  Skip(kIpv6FragmentHeaderSize);
  if (fragment.header.offset != 0) {
    result_.fragment = fragment;
    return Stop(Ipv6WalkResult::kLaterFragment);
  }
  // [RFC 6946 4] offset 0 and no more fragments: the packet is whole
  if (fragment.header.more_fragments) result_.fragment = fragment;
  return true;
}

IpParseError Validate(ByteSpan front, size_t packet_size) {
  if (front.size() < kIpv6HeaderSize || packet_size < kIpv6HeaderSize) {
    return IpParseError::kTruncated;
  }
  if (front[0] >> 4 != 6) return IpParseError::kBadVersion;
  if (LoadBe16(&front[4]) > packet_size - kIpv6HeaderSize) {
    return IpParseError::kTruncated;
  }
  return IpParseError::kNone;
}

}  // namespace

ParsedIpv6 ParseIpv6(ByteSpan front, size_t packet_size) {
  ParsedIpv6 result;
  result.error = Validate(front, packet_size);
  if (result.error != IpParseError::kNone) return result;

  const uint8_t* const p = front.data();
  const uint32_t first_word = LoadBe32(p);
  Ipv6Header& header = result.header;
  header.traffic_class = static_cast<uint8_t>(first_word >> 20);
  header.flow_label = first_word & 0xfffff;
  header.payload_length = LoadBe16(p + kIpv6LengthOffset);
  header.next_header = p[kIpv6NextHeaderOffset];
  header.hop_limit = p[kIpv6HopLimitOffset];
  header.source = IpAddress::FromIpv6Bytes(p + kIpv6SourceOffset);
  header.destination = IpAddress::FromIpv6Bytes(p + kIpv6DestinationOffset);

  const size_t end = kIpv6HeaderSize + size_t{header.payload_length};
  ExtensionWalk walk(front.first(std::min(front.size(), end)), result);
  walk.Run(header.next_header);
  return result;
}

void EmitIpv6(const Ipv6Header& header, MutableByteSpan to) {
  assert(to.size() >= kIpv6HeaderSize);
  assert(header.flow_label <= 0xfffff);
  uint8_t* const p = to.data();
  StoreBe32(p, uint32_t{6} << 28 | uint32_t{header.traffic_class} << 20 |
                   header.flow_label);
  StoreBe16(p + kIpv6LengthOffset, header.payload_length);
  p[kIpv6NextHeaderOffset] = header.next_header;
  p[kIpv6HopLimitOffset] = header.hop_limit;
  const auto& source = header.source.mapped_bytes();
  const auto& destination = header.destination.mapped_bytes();
  std::copy(source.begin(), source.end(), p + kIpv6SourceOffset);
  std::copy(destination.begin(), destination.end(), p + kIpv6DestinationOffset);
}

void SealIpv6(MutableByteSpan header, size_t size) {
  StoreBe16(&header[kIpv6LengthOffset],
            static_cast<uint16_t>(size - kIpv6HeaderSize));
}

void EmitIpv6Fragment(uint8_t next_header, const Ipv6Fragment& fragment,
                      MutableByteSpan to) {
  assert(to.size() >= kIpv6FragmentHeaderSize && fragment.offset % 8 == 0);
  uint8_t* const p = to.data();
  p[0] = next_header;
  p[1] = 0;
  StoreBe16(p + 2, static_cast<uint16_t>(fragment.offset |
                                         (fragment.more_fragments ? 1 : 0)));
  StoreBe32(p + 4, fragment.identification);
}

}  // namespace tcpip::wire
