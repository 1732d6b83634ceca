// Client library of the socket service: sockets of a netstack for C++ programs,
// with blocking calls and timeouts.
//
//   auto client = netstack::Client::Connect(netstack::kDefaultTarget);
//   auto stream = (*client)->Dial("192.0.2.1:80");
//   absl::Status sent = stream->Write("GET / HTTP/1.0\r\n\r\n");
//
// A Client may be used by many threads at once. Errors are absl::Status with
// the daemon's text; UNAVAILABLE also when no daemon answers.
#ifndef CLIENT_CLIENT_H_
#define CLIENT_CLIENT_H_

#include <grpcpp/channel.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/listener.h"
#include "client/stream.h"
#include "client/timeout.h"
#include "service/netstack.grpc.pb.h"

namespace netstack {

inline constexpr char kDefaultTarget[] = "unix:///run/netstack/netstack.sock";

class Client {
 public:
  // `target`: "unix:///PATH" or "127.0.0.1:PORT". UNAVAILABLE when no daemon
  // answers within `timeout`; the text says how to start one.
  static absl::StatusOr<std::unique_ptr<Client>> Connect(
      const std::string& target, Timeout timeout = tcpip::Duration::Seconds(5));

  // "192.0.2.1:80" or "[2001:db8::1]:80".
  absl::StatusOr<Stream> Dial(const std::string& remote,
                              const v1::SocketOptions& options = {},
                              Timeout timeout = {});

  // "0.0.0.0:80"; port 0 takes a free one (see Listener::local).
  absl::StatusOr<std::unique_ptr<Listener>> Listen(
      const std::string& local, const v1::SocketOptions& options = {},
      Timeout timeout = {});

  absl::StatusOr<std::vector<v1::Connection>> Connections(bool with_info);
  absl::StatusOr<v1::Stats> Stats();
  absl::StatusOr<v1::PingReply> Ping(const v1::PingRequest& request);

  absl::StatusOr<v1::NetworkState> Network();
  absl::StatusOr<v1::NetworkState> AddAddress(const std::string& cidr);
  absl::StatusOr<v1::NetworkState> RemoveAddress(const std::string& address);
  absl::StatusOr<v1::NetworkState> AddRoute(const std::string& cidr);
  absl::StatusOr<v1::NetworkState> RemoveRoute(const std::string& cidr);
  absl::StatusOr<v1::NetworkState> SetOffloads(
      const v1::SetOffloadsRequest& request);

 private:
  explicit Client(std::shared_ptr<grpc::Channel> channel);

  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<v1::Sockets::Stub> sockets_;
  std::unique_ptr<v1::Network::Stub> network_;
};

}  // namespace netstack

#endif  // CLIENT_CLIENT_H_
