#include "service/stream_codec.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

namespace netstack::service {
namespace {

using tcpip::OwnedBytes;

enum WireType : uint32_t {
  kVarint = 0,
  kFixed64 = 1,
  kLengthDelimited = 2,
  kFixed32 = 5,
};

// A tag or a length of more bytes is damage, even if the rest are zeros.
constexpr int kMaxPrefixBytes = 5;

// Reads a Protocol Buffers message that may lie in several slices.
class SliceReader {
 public:
  explicit SliceReader(const std::vector<grpc::Slice>& slices)
      : slices_(slices) {
    for (const grpc::Slice& s : slices_) remaining_ += s.size();
  }

  size_t remaining() const { return remaining_; }

  std::optional<uint64_t> Varint(int max_bytes = 10) {
    uint64_t value = 0;
    for (int shift = 0; shift < 7 * max_bytes; shift += 7) {
      if (remaining_ == 0) return std::nullopt;
      const uint8_t byte = NextByte();
      value |= uint64_t{byte & 0x7fu} << shift;
      if ((byte & 0x80) == 0) return value;
    }
    return std::nullopt;
  }

  bool Skip(uint64_t n) {
    if (n > remaining_) return false;
    remaining_ -= n;
    while (n > 0) {
      SkipSpentSlices();
      const size_t step = std::min<uint64_t>(n, slices_[slice_].size() - at_);
      at_ += step;
      n -= step;
    }
    return true;
  }

  // The next n bytes: a reference to their slice, or a copy when they span
  // several. n <= remaining().
  OwnedBytes Take(size_t n) {
    SkipSpentSlices();
    if (n == 0) return OwnedBytes();
    remaining_ -= n;
    if (slices_[slice_].size() - at_ >= n) {
      auto owner = std::make_shared<grpc::Slice>(slices_[slice_]);
      const uint8_t* data = owner->begin() + at_;
      at_ += n;
      return OwnedBytes(data, n, std::move(owner));
    }
    OwnedBytes copy = OwnedBytes::Allocate(n);
    for (size_t done = 0; done < n;) {
      SkipSpentSlices();
      const grpc::Slice& s = slices_[slice_];
      const size_t step = std::min(n - done, s.size() - at_);
      std::memcpy(copy.mutable_data() + done, s.begin() + at_, step);
      at_ += step;
      done += step;
    }
    return copy;
  }

 private:
  void SkipSpentSlices() {
    while (slice_ < slices_.size() && at_ == slices_[slice_].size()) {
      ++slice_;
      at_ = 0;
    }
  }
  uint8_t NextByte() {
    SkipSpentSlices();
    --remaining_;
    return slices_[slice_].begin()[at_++];
  }

  const std::vector<grpc::Slice>& slices_;
  size_t slice_ = 0;
  size_t at_ = 0;  // offset in slices_[slice_]
  size_t remaining_ = 0;
};

absl::Status Malformed() {
  return absl::InvalidArgumentError(
      "not a netstack.v1.StreamRequest: the bytes are cut off or damaged");
}

bool SkipField(SliceReader& reader, uint32_t wire_type) {
  switch (wire_type) {
    case kVarint:
      return reader.Varint().has_value();
    case kFixed64:
      return reader.Skip(8);
    case kFixed32:
      return reader.Skip(4);
    case kLengthDelimited: {
      const std::optional<uint64_t> n = reader.Varint(kMaxPrefixBytes);
      return n.has_value() && reader.Skip(*n);
    }
    default:
      return false;  // groups have no place in proto3
  }
}

// One length-delimited field. Members other than `data` are merged into
// `decoded.message` by the generated parser, from their own tag on.
absl::Status TakeMember(SliceReader& reader, uint32_t field,
                        DecodedRequest& decoded) {
  const std::optional<uint64_t> n = reader.Varint(kMaxPrefixBytes);
  if (!n.has_value() || *n > reader.remaining()) return Malformed();
  if (field == v1::StreamRequest::kDataFieldNumber) {
    if (*n > kMaxDataBytes) {
      return absl::ResourceExhaustedError(
          absl::StrCat("data: ", *n, " bytes in one message; at most ",
                       kMaxDataBytes, " are taken, send several messages"));
    }
    decoded.data = reader.Take(*n);
    decoded.message.Clear();
    decoded.kind = v1::StreamRequest::kData;
    return absl::OkStatus();
  }
  const OwnedBytes body = reader.Take(*n);
  std::string member;
  member.push_back(static_cast<char>(field << 3 | kLengthDelimited));
  uint64_t length = *n;
  for (; length >= 0x80; length >>= 7) {
    member.push_back(static_cast<char>(length | 0x80));
  }
  member.push_back(static_cast<char>(length));
  member.append(reinterpret_cast<const char*>(body.span().data()), body.size());
  if (!decoded.message.MergeFromString(member)) return Malformed();
  if (decoded.message.message_case() != v1::StreamRequest::MESSAGE_NOT_SET) {
    decoded.kind = decoded.message.message_case();
    decoded.data = OwnedBytes();
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<DecodedRequest> DecodeStreamRequest(const grpc::ByteBuffer& in) {
  std::vector<grpc::Slice> slices;
  if (!in.Dump(&slices).ok()) return Malformed();
  SliceReader reader(slices);
  DecodedRequest decoded;
  while (reader.remaining() > 0) {
    const std::optional<uint64_t> tag = reader.Varint(kMaxPrefixBytes);
    if (!tag.has_value() || *tag >> 3 == 0 || *tag > UINT32_MAX) {
      return Malformed();
    }
    const auto field = static_cast<uint32_t>(*tag >> 3);
    const auto wire_type = static_cast<uint32_t>(*tag & 7);
    const bool member = field <= v1::StreamRequest::kSetOptionsFieldNumber;
    if (member && wire_type == kLengthDelimited) {
      const absl::Status status = TakeMember(reader, field, decoded);
      if (!status.ok()) return status;
    } else if (!SkipField(reader, wire_type)) {
      return Malformed();
    }
  }
  return decoded;
}

grpc::ByteBuffer EncodeData(tcpip::OwnedBytes data) {
  uint8_t header[1 + 10];
  size_t n = 0;
  header[n++] = v1::StreamResponse::kDataFieldNumber << 3 | kLengthDelimited;
  size_t length = data.size();
  for (; length >= 0x80; length >>= 7) {
    header[n++] = static_cast<uint8_t>(length | 0x80);
  }
  header[n++] = static_cast<uint8_t>(length);

  auto* owner = new OwnedBytes(std::move(data));
  const grpc::Slice slices[2] = {
      grpc::Slice(header, n),
      grpc::Slice(
          const_cast<uint8_t*>(owner->span().data()), owner->size(),
          [](void* p) { delete static_cast<OwnedBytes*>(p); }, owner)};
  return grpc::ByteBuffer(slices, 2);
}

grpc::ByteBuffer EncodeResponse(const v1::StreamResponse& response) {
  const grpc::Slice slice(response.SerializeAsString());
  return grpc::ByteBuffer(&slice, 1);
}

}  // namespace netstack::service
