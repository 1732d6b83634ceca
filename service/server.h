// Server: the gRPC services of one shard, or of a group of them, on Unix
// sockets and loopback TCP, with health. Owns every thread of the service;
// shards and their links are the caller's.
#ifndef SERVICE_SERVER_H_
#define SERVICE_SERVER_H_

#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "service/call_gate.h"
#include "service/claim_desk.h"
#include "service/services.h"
#include "service/shard_client.h"
#include "service/unix_acceptor.h"
#include "tcpip/base/time.h"
#include "tcpip/shard/command.h"

namespace netstack::service {

struct ServerConfig {
  std::vector<std::string> unix_paths;
  // "127.0.0.1:7000" or "[::1]:0". Anything but loopback is refused: TLS is
  // not built yet.
  std::vector<std::string> tcp_endpoints;
  std::string interface;  // which one Network requests without a name mean
  uint32_t max_streams = 65536;
  tcpip::Duration claim_lifetime = tcpip::Duration::Seconds(10);
};

class Server {
 public:
  // `shard` outlives the server. INVALID_ARGUMENT for an address that may not
  // be served, UNAVAILABLE or PERMISSION_DENIED when it cannot be bound.
  static absl::StatusOr<std::unique_ptr<Server>> Start(
      const ServerConfig& config, tcpip::CommandTarget& shard);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Health says NOT_SERVING, listeners end and new calls are refused; true when
  // every stream ended by itself within `at_most` and what it left in the send
  // queues got through. The destructor cancels the rest.
  bool Drain(tcpip::Duration at_most);

  // Ports taken by tcp_endpoints, in their order.
  const std::vector<int>& tcp_ports() const { return tcp_ports_; }
  uint32_t streams() const { return gate_.inside(); }

 private:
  Server(const ServerConfig& config, tcpip::CommandTarget& shard);
  uint64_t OpenSockets();  // of the shard; waits for its answer

  ShardClient client_;
  ClaimDesk desk_;
  CallGate gate_;
  SocketsService sockets_;
  NetworkService network_;
  std::vector<std::unique_ptr<UnixAcceptor>> acceptors_;
  std::vector<std::unique_ptr<grpc::experimental::ExternalConnectionAcceptor>>
      handovers_;  // acceptors_[i] hands its connections to handovers_[i]
  std::vector<int> tcp_ports_;
  std::unique_ptr<grpc::Server> grpc_;
};

}  // namespace netstack::service

#endif  // SERVICE_SERVER_H_
