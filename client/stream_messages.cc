#include "client/stream_messages.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

namespace netstack {
namespace {

constexpr uint8_t kLengthDelimited = 2;

// The bytes before the payload of a message that is nothing but a `data`, if
// they lie in its first slice; else 0.
size_t DataHeaderBytes(const grpc::Slice& first, size_t total) {
  constexpr uint8_t kTag =
      v1::StreamResponse::kDataFieldNumber << 3 | kLengthDelimited;
  if (first.size() < 2 || first.begin()[0] != kTag) return 0;
  uint64_t length = 0;
  for (size_t i = 1; i < std::min<size_t>(first.size(), 6); ++i) {
    length |= uint64_t{first.begin()[i] & 0x7fu} << (7 * (i - 1));
    if ((first.begin()[i] & 0x80) != 0) continue;
    return length == total - (i + 1) ? i + 1 : 0;
  }
  return 0;
}

}  // namespace

Payload::Payload(std::vector<grpc::Slice> slices, size_t skip)
    : slices_(std::move(slices)), at_(skip) {
  SkipSpent();
}

void Payload::SkipSpent() {
  while (slice_ < slices_.size() && at_ >= slices_[slice_].size()) {
    at_ -= slices_[slice_].size();
    slices_[slice_] = grpc::Slice();  // gives the memory back
    ++slice_;
  }
}

void Payload::Append(Payload next) {
  if (empty()) {
    *this = std::move(next);
    return;
  }
  for (size_t i = next.slice_; i < next.slices_.size(); ++i) {
    const size_t skip = i == next.slice_ ? next.at_ : 0;
    slices_.push_back(next.slices_[i].sub(skip, next.slices_[i].size()));
  }
}

size_t Payload::Read(std::span<uint8_t> to) {
  size_t done = 0;
  while (done < to.size() && !empty()) {
    const grpc::Slice& slice = slices_[slice_];
    const size_t n = std::min(to.size() - done, slice.size() - at_);
    std::memcpy(to.data() + done, slice.begin() + at_, n);
    done += n;
    at_ += n;
    SkipSpent();
  }
  return done;
}

grpc::ByteBuffer EncodeRequest(const v1::StreamRequest& request) {
  const grpc::Slice slice(request.SerializeAsString());
  return grpc::ByteBuffer(&slice, 1);
}

grpc::ByteBuffer EncodeDataRequest(std::span<const uint8_t> data) {
  uint8_t header[1 + 5];
  size_t n = 0;
  header[n++] = v1::StreamRequest::kDataFieldNumber << 3 | kLengthDelimited;
  size_t length = data.size();
  for (; length >= 0x80; length >>= 7) {
    header[n++] = static_cast<uint8_t>(length | 0x80);
  }
  header[n++] = static_cast<uint8_t>(length);
  const grpc::Slice slices[2] = {grpc::Slice(header, n),
                                 grpc::Slice(data.data(), data.size())};
  return grpc::ByteBuffer(slices, 2);
}

std::optional<DecodedResponse> DecodeResponse(const grpc::ByteBuffer& in) {
  std::vector<grpc::Slice> slices;
  if (!in.Dump(&slices).ok()) return std::nullopt;
  DecodedResponse decoded;
  const size_t header =
      slices.empty() ? 0 : DataHeaderBytes(slices[0], in.Length());
  if (header > 0) {
    decoded.payload = Payload(std::move(slices), header);
    return decoded;
  }
  std::string bytes;
  bytes.reserve(in.Length());
  for (const grpc::Slice& s : slices) {
    bytes.append(reinterpret_cast<const char*>(s.begin()), s.size());
  }
  if (!decoded.message.ParseFromString(bytes)) return std::nullopt;
  if (decoded.message.has_data()) {
    decoded.payload = Payload({grpc::Slice(decoded.message.data())}, 0);
    decoded.message.Clear();
  }
  return decoded;
}

}  // namespace netstack
