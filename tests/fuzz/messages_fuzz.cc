// What clients send by gRPC: any bytes as a message of any kind. The codec of
// Stream reads what the generated class reads, however gRPC has cut the bytes;
// what a message asks for becomes a command, or an INVALID_ARGUMENT that says
// why, and nothing else.
//
// The input: which message, how long the slices are, then its bytes.

#include <google/protobuf/stubs/logging.h>
#include <grpcpp/support/byte_buffer.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "service/convert.h"
#include "service/netstack.pb.h"
#include "service/stream_codec.h"
#include "tcpip/base/bytes.h"
#include "tcpip/shard/command.h"
#include "tests/fuzz/input.h"

namespace netstack::service {
namespace {

using tcpip::fuzz::Check;

grpc::ByteBuffer Cut(const std::string& bytes, size_t each) {
  std::vector<grpc::Slice> slices;
  for (size_t at = 0; at < bytes.size(); at += each) {
    slices.emplace_back(bytes.substr(at, each));
  }
  return grpc::ByteBuffer(slices.data(), slices.size());
}

void CheckRefusal(const absl::Status& status) {
  if (status.ok()) return;
  Check(status.code() == absl::StatusCode::kInvalidArgument, "wrong code");
  Check(!status.message().empty(), "a refusal says why");
  Check(ToGrpc(status).error_code() == grpc::StatusCode::INVALID_ARGUMENT,
        "and so does gRPC's");
}

void CheckSame(const DecodedRequest& decoded,
               const v1::StreamRequest& generated) {
  Check(decoded.kind == generated.message_case(), "kind");
  if (generated.has_data()) {
    const tcpip::ByteSpan data = decoded.data.span();
    const std::string& want = generated.data();
    Check(std::equal(
              data.begin(), data.end(), want.begin(), want.end(),
              [](uint8_t a, char b) { return a == static_cast<uint8_t>(b); }),
          "data");
    return;
  }
  v1::StreamRequest known = generated;
  known.DiscardUnknownFields();
  v1::StreamRequest message = decoded.message;
  message.DiscardUnknownFields();
  Check(message.SerializeAsString() == known.SerializeAsString(), "message");
}

void FuzzStreamRequest(const std::string& bytes, size_t each) {
  const auto decoded = DecodeStreamRequest(Cut(bytes, each));
  v1::StreamRequest generated;
  const bool parses = generated.ParseFromString(bytes);
  if (decoded.ok()) {
    Check(parses, "what the generated class refuses is taken");
    CheckSame(*decoded, generated);
  } else {
    CheckRefusal(decoded.status());
  }
  if (!parses) return;
  // As any client would have written it.
  generated.DiscardUnknownFields();
  const auto again =
      DecodeStreamRequest(Cut(generated.SerializeAsString(), each));
  Check(again.ok(), "what the generated class writes is refused");
  CheckSame(*again, generated);
  if (!generated.has_open()) return;
  tcpip::tcp::SocketSettings settings;
  CheckRefusal(ApplyOptions(generated.open().options(), settings));
  CheckRefusal(ToDial(generated.open().dial(), settings).status());
}

template <typename Message, typename Convert>
void FuzzMessage(const std::string& bytes, Convert convert) {
  Message message;
  if (!message.ParseFromString(bytes)) return;
  convert(message);
}

void FuzzOne(const uint8_t* data, size_t size) {
  const google::protobuf::LogSilencer silencer;
  tcpip::fuzz::Input input(data, size);
  const uint8_t kind = input.Byte() % 8;
  const size_t each = 1 + input.Byte();
  const tcpip::ByteSpan rest = input.Take(size);
  const std::string bytes(rest.begin(), rest.end());
  switch (kind) {
    case 0:
      FuzzMessage<v1::ListenRequest>(
          bytes, [](const auto& m) { CheckRefusal(ToListen(m).status()); });
      break;
    case 1:
      FuzzMessage<v1::DatagramOpen>(
          bytes, [](const auto& m) { CheckRefusal(ToUdpOpen(m).status()); });
      break;
    case 2:
      FuzzMessage<v1::PingRequest>(
          bytes, [](const auto& m) { CheckRefusal(ToPing(m).status()); });
      break;
    case 3:
      FuzzMessage<v1::AddRouteRequest>(bytes, [](const auto& m) {
        CheckRefusal(ToCidr("destination", m.destination()).status());
      });
      break;
    case 4:
      FuzzMessage<v1::SetOffloadsRequest>(
          bytes, [](const auto& m) { ToSetOffloads(m); });
      break;
    default:
      FuzzStreamRequest(bytes, each);
  }
}

}  // namespace
}  // namespace netstack::service

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  netstack::service::FuzzOne(data, size);
  return 0;
}
