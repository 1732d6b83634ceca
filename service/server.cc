#include "service/server.h"

#include <grpcpp/ext/health_check_service_server_builder_option.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/health_check_service_interface.h>

#include <future>
#include <thread>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "service/stream_codec.h"
#include "tcpip/wire/address.h"

namespace netstack::service {
namespace {

using grpc::experimental::ExternalConnectionAcceptor;

absl::Status CheckLoopback(const std::string& endpoint) {
  const auto parsed = tcpip::IpEndpoint::Parse(endpoint);
  if (!parsed.has_value()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "listen: 'tcp://", endpoint,
        "' is not an address and port such as tcp://127.0.0.1:7000"));
  }
  if (!parsed->address.IsLoopback()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "listen: tcp://", endpoint,
        " would let anyone on the network use these sockets; only loopback "
        "addresses can be served without TLS"));
  }
  return absl::OkStatus();
}

}  // namespace

Server::Server(const ServerConfig& config, tcpip::CommandTarget& shard)
    : client_(shard),
      desk_(client_, config.claim_lifetime),
      gate_(config.max_streams),
      sockets_(client_, desk_, gate_),
      network_(client_, config.interface) {}

absl::StatusOr<std::unique_ptr<Server>> Server::Start(
    const ServerConfig& config, tcpip::CommandTarget& shard) {
  for (const std::string& endpoint : config.tcp_endpoints) {
    absl::Status status = CheckLoopback(endpoint);
    if (!status.ok()) return status;
  }
  std::unique_ptr<Server> server(new Server(config, shard));
  for (const std::string& path : config.unix_paths) {
    auto acceptor = UnixAcceptor::Listen(path);
    if (!acceptor.ok()) return acceptor.status();
    server->acceptors_.push_back(*std::move(acceptor));
  }

  grpc::EnableDefaultHealthCheckService(true);
  grpc::ServerBuilder builder;
  builder.RegisterService(&server->sockets_);
  builder.RegisterService(&server->network_);
  // Room above the largest `data`, so that a message which is too large comes
  // to the codec, which refuses it with a reset for the peer. What gRPC refuses
  // looks like the end of the requests until the call is cancelled for it.
  // [fault X35]
  builder.SetMaxReceiveMessageSize(static_cast<int>(4 * kMaxDataBytes));
  // A second daemon on the same port is an error, not a partner.
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  for (size_t i = 0; i < server->acceptors_.size(); ++i) {
    server->handovers_.push_back(
        builder.experimental().AddExternalConnectionAcceptor(
            grpc::ServerBuilder::experimental_type::ExternalConnectionType::
                FROM_FD,
            grpc::InsecureServerCredentials()));
  }
  server->tcp_ports_.resize(config.tcp_endpoints.size());
  for (size_t i = 0; i < config.tcp_endpoints.size(); ++i) {
    builder.AddListeningPort(config.tcp_endpoints[i],
                             grpc::InsecureServerCredentials(),
                             &server->tcp_ports_[i]);
  }
  server->grpc_ = builder.BuildAndStart();
  if (server->grpc_ == nullptr) {
    return absl::UnavailableError(
        absl::StrCat("cannot serve gRPC on tcp://",
                     absl::StrJoin(config.tcp_endpoints, ", tcp://"),
                     ": in use; choose another port with --listen"));
  }
  grpc::HealthCheckServiceInterface* health =
      server->grpc_->GetHealthCheckService();
  health->SetServingStatus("netstack.v1.Sockets", true);
  health->SetServingStatus("netstack.v1.Network", true);
  for (size_t i = 0; i < server->acceptors_.size(); ++i) {
    server->acceptors_[i]->Start(
        [handover = server->handovers_[i].get()](int fd) {
          ExternalConnectionAcceptor::NewConnectionParameters connection;
          connection.fd = fd;
          handover->HandleNewConnection(&connection);
        });
  }
  return server;
}

bool Server::Drain(tcpip::Duration at_most) {
  grpc_->GetHealthCheckService()->SetServingStatus(false);
  gate_.Close();
  for (auto& acceptor : acceptors_) acceptor->Stop();
  sockets_.StopListening();
  const auto end = std::chrono::steady_clock::now() +
                   std::chrono::nanoseconds(at_most.nanoseconds());
  if (!gate_.WaitEmpty(end - std::chrono::steady_clock::now())) return false;
  // A stream ends when both sides said their last word; the peer may not have
  // heard it yet.
  while (OpenSockets() > 0) {
    if (std::chrono::steady_clock::now() >= end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

uint64_t Server::OpenSockets() {
  std::promise<uint64_t> answered;
  client_.Call(tcpip::command::GetStats{}, [&](tcpip::Reply reply) {
    const auto* stats = std::get_if<tcpip::reply::Stats>(&reply.body);
    answered.set_value(stats == nullptr ? 0 : stats->stack.sockets);
  });
  return answered.get_future().get();
}

Server::~Server() {
  for (auto& acceptor : acceptors_) acceptor->Stop();
  if (grpc_ != nullptr) {
    grpc_->Shutdown(std::chrono::system_clock::now());
    grpc_->Wait();
  }
}

}  // namespace netstack::service
