#include "service/stream_machine_fixture.h"

#include <cstring>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gtest/gtest.h"

namespace netstack::service {

namespace command = tcpip::command;
using tcpip::OwnedBytes;
using tcpip::Reply;

namespace {

OwnedBytes Bytes(const std::string& text) {
  OwnedBytes bytes = OwnedBytes::Allocate(text.size());
  std::memcpy(bytes.mutable_data(), text.data(), text.size());
  return bytes;
}

struct NameOf {
  std::string operator()(const command::TcpDial& c) const {
    return absl::StrCat("TcpDial(", c.options.remote.ToString(), ")");
  }
  std::string operator()(const command::TcpSend& c) const {
    return absl::StrCat("TcpSend(", c.data.size(), ")");
  }
  std::string operator()(const command::TcpRecv&) const { return "TcpRecv"; }
  std::string operator()(const command::TcpCloseWrite&) const {
    return "TcpCloseWrite";
  }
  std::string operator()(const command::SetSettings& c) const {
    return absl::StrCat("SetSettings(no_delay=", c.settings.no_delay,
                        " keepalive=", c.settings.keepalive, ")");
  }
  std::string operator()(const command::Close&) const { return "Close"; }
  std::string operator()(const command::Abort&) const { return "Abort"; }
  template <typename Other>
  std::string operator()(const Other&) const {
    return "other";
  }
};

std::string NameOfMessage(const grpc::ByteBuffer& buffer) {
  std::vector<grpc::Slice> slices;
  EXPECT_TRUE(buffer.Dump(&slices).ok());
  std::string bytes;
  for (const grpc::Slice& s : slices) {
    bytes.append(reinterpret_cast<const char*>(s.begin()), s.size());
  }
  v1::StreamResponse message;
  EXPECT_TRUE(message.ParseFromString(bytes));
  switch (message.message_case()) {
    case v1::StreamResponse::kOpened:
      return absl::StrCat("opened ", message.opened().local(), " ",
                          message.opened().remote());
    case v1::StreamResponse::kData:
      return absl::StrCat("data ", message.data());
    case v1::StreamResponse::kEof:
      return "eof";
    case v1::StreamResponse::kReset:
      return absl::StrCat("reset ",
                          v1::Reset::Reason_Name(message.reset().reason()));
    case v1::StreamResponse::kClosed:
      return "closed";
    case v1::StreamResponse::MESSAGE_NOT_SET:
      break;
  }
  return "nothing";
}

std::string NameOfCode(const grpc::Status& status) {
  return absl::StatusCodeToString(
      static_cast<absl::StatusCode>(status.error_code()));
}

}  // namespace

tcpip::FourTuple Tuple() {
  return {*tcpip::IpEndpoint::Parse("10.0.0.2:4000"),
          *tcpip::IpEndpoint::Parse("10.0.0.1:80")};
}

// Requests.
DecodedRequest Request(const v1::StreamRequest& message) {
  DecodedRequest request;
  request.kind = message.message_case();
  request.message = message;
  return request;
}
DecodedRequest Open(const v1::Open& open) {
  v1::StreamRequest message;
  *message.mutable_open() = open;
  return Request(message);
}
DecodedRequest Dial(const std::string& remote) {
  v1::Open open;
  open.mutable_dial()->set_remote(remote);
  return Open(open);
}
DecodedRequest Claim(const v1::SocketOptions& options) {
  v1::Open open;
  open.mutable_claim()->set_token("token");
  *open.mutable_options() = options;
  return Open(open);
}
DecodedRequest Data(const std::string& text) {
  DecodedRequest request;
  request.kind = v1::StreamRequest::kData;
  request.data = Bytes(text);
  return request;
}
DecodedRequest Eof() {
  v1::StreamRequest message;
  message.mutable_eof();
  return Request(message);
}
DecodedRequest ResetRequest() {
  v1::StreamRequest message;
  message.mutable_reset();
  return Request(message);
}
DecodedRequest NoDelay() {
  v1::StreamRequest message;
  message.mutable_set_options()->set_no_delay(true);
  return Request(message);
}

// Replies.
Reply Ok(tcpip::reply::Body body) {
  return {.cookie = 0, .status = absl::OkStatus(), .body = std::move(body)};
}
Reply Opened() { return Ok(tcpip::reply::Opened{kSocket, Tuple()}); }
Reply Received(const std::string& text, bool eof) {
  return Ok(tcpip::reply::Received{Bytes(text), eof});
}
Reply Failed(absl::Status status) {
  return {.cookie = 0, .status = std::move(status), .body = {}};
}
Reply PeerReset() {
  return Failed(absl::AbortedError("connection reset by peer"));
}

std::string Describe(const StreamMachine::Actions& actions) {
  constexpr const char* kTo[] = {"", "->open", "->request", "->receive"};
  std::vector<std::string> words;
  for (const StreamMachine::Post& post : actions.posts) {
    words.push_back(std::visit(NameOf(), post.body) +
                    kTo[static_cast<int>(post.reply_to)]);
  }
  if (actions.cancel_open) words.push_back("cancel_open");
  if (actions.watch) words.push_back("watch");
  if (actions.redeem) words.push_back("redeem(" + *actions.redeem + ")");
  if (actions.write) {
    words.push_back("write(" + NameOfMessage(*actions.write) + ")");
  }
  if (actions.read) words.push_back("read");
  if (actions.cut) words.push_back("cut(" + NameOfCode(*actions.cut) + ")");
  if (actions.finish) {
    words.push_back("finish(" + NameOfCode(*actions.finish) + ")");
  }
  return absl::StrJoin(words, " ");
}

}  // namespace netstack::service
