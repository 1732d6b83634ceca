// StreamRequest and StreamResponse as gRPC byte buffers: payload stays in
// slices, everything else goes through the generated classes.
#ifndef CLIENT_STREAM_MESSAGES_H_
#define CLIENT_STREAM_MESSAGES_H_

#include <grpcpp/support/byte_buffer.h>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "service/netstack.pb.h"

namespace netstack {

// Received bytes that are read piece by piece, from the slices they came in.
class Payload {
 public:
  Payload() = default;
  // The bytes of `slices` from `skip` on.
  Payload(std::vector<grpc::Slice> slices, size_t skip);

  bool empty() const { return slice_ == slices_.size(); }
  void Append(Payload next);
  // Moves up to to.size() bytes out; returns how many.
  size_t Read(std::span<uint8_t> to);

 private:
  void SkipSpent();

  std::vector<grpc::Slice> slices_;
  size_t slice_ = 0;
  size_t at_ = 0;  // in slices_[slice_]
};

grpc::ByteBuffer EncodeRequest(const v1::StreamRequest& request);

// StreamRequest{data}; the bytes are copied, so that the caller has them back.
grpc::ByteBuffer EncodeDataRequest(std::span<const uint8_t> data);

// Either `payload` (of a `data`) or `message` (anything else). nullopt: not a
// StreamResponse.
struct DecodedResponse {
  v1::StreamResponse message;
  Payload payload;
};
std::optional<DecodedResponse> DecodeResponse(const grpc::ByteBuffer& in);

}  // namespace netstack

#endif  // CLIENT_STREAM_MESSAGES_H_
