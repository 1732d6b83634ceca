#include "client/client.h"

#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "client/status.h"
#include "client/stream_call.h"

namespace netstack {
namespace {

template <typename Response>
absl::StatusOr<Response> Result(const grpc::Status& status, Response response) {
  if (!status.ok()) return FromGrpc(status);
  return response;
}

// Answers of the daemon itself: later than this it hangs.
constexpr tcpip::Duration kAnswerTimeout = tcpip::Duration::Seconds(10);

void SetDeadline(grpc::ClientContext& context, tcpip::Duration timeout) {
  context.set_deadline(std::chrono::system_clock::now() +
                       std::chrono::nanoseconds(timeout.nanoseconds()));
}

absl::Status NoDaemon(absl::string_view place, absl::string_view why) {
  return absl::UnavailableError(absl::StrCat(
      "no netstackd answers on ", place, ": ", why,
      "; start one with: netstackd --tun nst0 --address 10.0.0.2/24"));
}

// Whether a Unix socket lets us in, at once and with the reason; gRPC would
// only try until the time is up.
absl::Status CheckUnixSocket(absl::string_view path) {
  sockaddr_un address = {};
  if (path.size() >= sizeof address.sun_path) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": a socket's path has at most ",
                     sizeof address.sun_path - 1, " bytes"));
  }
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.data(), path.size());
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  const bool connected =
      connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  const int error = errno;
  close(fd);
  // A full backlog: somebody is there.
  if (connected || error == EAGAIN) return absl::OkStatus();
  if (error == EACCES || error == EPERM) {
    return absl::PermissionDeniedError(absl::StrCat(
        path, ": ", strerrorname_np(error),
        "; run this as root or as a member of the socket's group"));
  }
  return NoDaemon(path, strerrorname_np(error));
}

}  // namespace

Client::Client(std::shared_ptr<grpc::Channel> channel)
    : channel_(std::move(channel)),
      sockets_(v1::Sockets::NewStub(channel_)),
      network_(v1::Network::NewStub(channel_)) {}

absl::StatusOr<std::unique_ptr<Client>> Client::Connect(
    const std::string& target, Timeout timeout) {
  absl::string_view path = target;
  if (absl::ConsumePrefix(&path, "unix:")) {
    absl::ConsumePrefix(&path, "//");
    absl::Status status = CheckUnixSocket(path);
    if (!status.ok()) return status;
  }
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(-1);
  std::shared_ptr<grpc::Channel> channel = grpc::CreateCustomChannel(
      target, grpc::InsecureChannelCredentials(), arguments);
  const auto wait = std::chrono::nanoseconds(
      timeout.value_or(tcpip::Duration::Seconds(3600)).nanoseconds());
  if (!channel->WaitForConnected(std::chrono::system_clock::now() + wait)) {
    return NoDaemon(target, "whoever listens there lets us in no further");
  }
  return std::unique_ptr<Client>(new Client(std::move(channel)));
}

absl::StatusOr<Stream> Client::Dial(const std::string& remote,
                                    const v1::SocketOptions& options,
                                    Timeout timeout) {
  v1::Open open;
  open.mutable_dial()->set_remote(remote);
  if (timeout.has_value()) {
    // Zero would mean the stack's own.
    open.mutable_dial()->set_timeout_ms(static_cast<uint32_t>(
        std::clamp<int64_t>(timeout->milliseconds(), 1, UINT32_MAX)));
  }
  *open.mutable_options() = options;
  auto call = StreamCall::Open(channel_, open, timeout);
  if (!call.ok()) return call.status();
  return Stream(*std::move(call));
}

absl::StatusOr<std::unique_ptr<Listener>> Client::Listen(
    const std::string& local, const v1::SocketOptions& options,
    Timeout timeout) {
  v1::ListenRequest request;
  request.set_local(local);
  *request.mutable_options() = options;
  return Listener::Open(channel_, request, timeout);
}

absl::StatusOr<std::vector<v1::Connection>> Client::Connections(
    bool with_info) {
  grpc::ClientContext context;
  SetDeadline(context, kAnswerTimeout);
  v1::ListConnectionsRequest request;
  request.set_with_info(with_info);
  auto reader = sockets_->ListConnections(&context, request);
  std::vector<v1::Connection> connections;
  for (v1::Connection c; reader->Read(&c);) connections.push_back(c);
  return Result(reader->Finish(), std::move(connections));
}

absl::StatusOr<v1::Stats> Client::Stats() {
  grpc::ClientContext context;
  SetDeadline(context, kAnswerTimeout);
  v1::Stats stats;
  const grpc::Status status = sockets_->GetStats(&context, {}, &stats);
  return Result(status, std::move(stats));
}

absl::StatusOr<v1::PingReply> Client::Ping(const v1::PingRequest& request) {
  grpc::ClientContext context;
  SetDeadline(context, kAnswerTimeout +
                           tcpip::Duration::Milliseconds(request.timeout_ms()));
  v1::PingReply reply;
  const grpc::Status status = sockets_->Ping(&context, request, &reply);
  return Result(status, std::move(reply));
}

absl::StatusOr<v1::NetworkState> Client::Network() {
  grpc::ClientContext context;
  SetDeadline(context, kAnswerTimeout);
  v1::NetworkState state;
  const grpc::Status status = network_->GetNetwork(&context, {}, &state);
  return Result(status, std::move(state));
}

absl::StatusOr<v1::NetworkState> Client::AddAddress(const std::string& cidr) {
  grpc::ClientContext context;
  SetDeadline(context, kAnswerTimeout);
  v1::AddAddressRequest request;
  request.set_address(cidr);
  v1::NetworkState state;
  const grpc::Status status = network_->AddAddress(&context, request, &state);
  return Result(status, std::move(state));
}

absl::StatusOr<v1::NetworkState> Client::RemoveAddress(
    const std::string& address) {
  grpc::ClientContext context;
  SetDeadline(context, kAnswerTimeout);
  v1::RemoveAddressRequest request;
  request.set_address(address);
  v1::NetworkState state;
  const grpc::Status status =
      network_->RemoveAddress(&context, request, &state);
  return Result(status, std::move(state));
}

absl::StatusOr<v1::NetworkState> Client::AddRoute(const std::string& cidr) {
  grpc::ClientContext context;
  SetDeadline(context, kAnswerTimeout);
  v1::AddRouteRequest request;
  request.set_destination(cidr);
  v1::NetworkState state;
  const grpc::Status status = network_->AddRoute(&context, request, &state);
  return Result(status, std::move(state));
}

absl::StatusOr<v1::NetworkState> Client::RemoveRoute(const std::string& cidr) {
  grpc::ClientContext context;
  SetDeadline(context, kAnswerTimeout);
  v1::RemoveRouteRequest request;
  request.set_destination(cidr);
  v1::NetworkState state;
  const grpc::Status status = network_->RemoveRoute(&context, request, &state);
  return Result(status, std::move(state));
}

absl::StatusOr<v1::NetworkState> Client::SetOffloads(
    const v1::SetOffloadsRequest& request) {
  grpc::ClientContext context;
  SetDeadline(context, kAnswerTimeout);
  v1::NetworkState state;
  const grpc::Status status = network_->SetOffloads(&context, request, &state);
  return Result(status, std::move(state));
}

}  // namespace netstack
