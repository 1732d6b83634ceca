// Wire codec of Sockets.Stream: StreamRequest in, StreamResponse out, as gRPC
// byte buffers. Protocol Buffers encoding, so any generated client fits.
//
// Exists because generated messages copy `bytes`: here payload stays in the
// slices gRPC received it in (one copy only where a message spans slices) and
// leaves as a slice of its own behind a few header bytes. Every other field
// goes through the generated classes.
#ifndef SERVICE_STREAM_CODEC_H_
#define SERVICE_STREAM_CODEC_H_

#include <grpcpp/support/byte_buffer.h>

#include "absl/status/statusor.h"
#include "service/netstack.pb.h"
#include "tcpip/shard/command.h"

namespace netstack::service {

// Largest `data` of one message. [fault X35]
inline constexpr size_t kMaxDataBytes = size_t{1} << 20;

struct DecodedRequest {
  // Which member of the oneof is set; `message` holds all but kData.
  v1::StreamRequest::MessageCase kind = v1::StreamRequest::MESSAGE_NOT_SET;
  v1::StreamRequest message;
  tcpip::OwnedBytes data;
};

// INVALID_ARGUMENT when the bytes are not a StreamRequest. RESOURCE_EXHAUSTED
// when `data` exceeds kMaxDataBytes, as gRPC says of a whole message. Unknown
// fields are skipped; of several members the last wins.
absl::StatusOr<DecodedRequest> DecodeStreamRequest(const grpc::ByteBuffer& in);

// A StreamResponse whose only field is `data`; the bytes are referenced until
// gRPC has sent them.
grpc::ByteBuffer EncodeData(tcpip::OwnedBytes data);

// Any other StreamResponse.
grpc::ByteBuffer EncodeResponse(const v1::StreamResponse& response);

}  // namespace netstack::service

#endif  // SERVICE_STREAM_CODEC_H_
