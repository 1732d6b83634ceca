// The two gRPC services: each method validates, posts to the shard, completes.
// Calls that live long pass the CallGate: what they keep in the shard is
// bounded by it, and the drain waits for them.
#ifndef SERVICE_SERVICES_H_
#define SERVICE_SERVICES_H_

#include <grpcpp/support/server_callback.h>

#include <mutex>
#include <string>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "service/call_gate.h"
#include "service/claim_desk.h"
#include "service/listen_reactor.h"
#include "service/netstack.grpc.pb.h"
#include "service/shard_client.h"

namespace netstack::service {

// Stream is a raw method: see stream_codec.h.
class SocketsService final
    : public v1::Sockets::WithRawCallbackMethod_Stream<
          v1::Sockets::WithCallbackMethod_Listen<
              v1::Sockets::WithCallbackMethod_Datagrams<
                  v1::Sockets::WithCallbackMethod_ListConnections<
                      v1::Sockets::WithCallbackMethod_GetStats<
                          v1::Sockets::WithCallbackMethod_Ping<
                              v1::Sockets::Service>>>>>> {
 public:
  // All outlive the service.
  SocketsService(ShardClient& shard, ClaimDesk& desk, CallGate& gate)
      : shard_(shard), desk_(desk), gate_(gate) {}

  grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>* Stream(
      grpc::CallbackServerContext* context) override;
  grpc::ServerWriteReactor<v1::ListenEvent>* Listen(
      grpc::CallbackServerContext* context,
      const v1::ListenRequest* request) override;
  grpc::ServerBidiReactor<v1::DatagramRequest, v1::DatagramResponse>* Datagrams(
      grpc::CallbackServerContext* context) override;
  grpc::ServerWriteReactor<v1::Connection>* ListConnections(
      grpc::CallbackServerContext* context,
      const v1::ListConnectionsRequest* request) override;
  grpc::ServerUnaryReactor* GetStats(grpc::CallbackServerContext* context,
                                     const v1::GetStatsRequest* request,
                                     v1::Stats* response) override;
  grpc::ServerUnaryReactor* Ping(grpc::CallbackServerContext* context,
                                 const v1::PingRequest* request,
                                 v1::PingReply* response) override;

  // Ends every Listen call, and those to come. Once the gate is closed.
  void StopListening();

 private:
  ShardClient& shard_;
  ClaimDesk& desk_;
  CallGate& gate_;
  std::mutex mutex_;
  bool stopped_ = false;                           // guarded by mutex_
  absl::flat_hash_set<ListenReactor*> listening_;  // guarded by mutex_
};

class NetworkService final : public v1::Network::CallbackService {
 public:
  // `interface` is meant where a request names none.
  NetworkService(ShardClient& shard, std::string interface)
      : shard_(shard), interface_(std::move(interface)) {}

  grpc::ServerUnaryReactor* GetNetwork(grpc::CallbackServerContext* context,
                                       const v1::GetNetworkRequest* request,
                                       v1::NetworkState* response) override;
  grpc::ServerUnaryReactor* AddAddress(grpc::CallbackServerContext* context,
                                       const v1::AddAddressRequest* request,
                                       v1::NetworkState* response) override;
  grpc::ServerUnaryReactor* RemoveAddress(
      grpc::CallbackServerContext* context,
      const v1::RemoveAddressRequest* request,
      v1::NetworkState* response) override;
  grpc::ServerUnaryReactor* AddRoute(grpc::CallbackServerContext* context,
                                     const v1::AddRouteRequest* request,
                                     v1::NetworkState* response) override;
  grpc::ServerUnaryReactor* RemoveRoute(grpc::CallbackServerContext* context,
                                        const v1::RemoveRouteRequest* request,
                                        v1::NetworkState* response) override;
  grpc::ServerUnaryReactor* SetOffloads(grpc::CallbackServerContext* context,
                                        const v1::SetOffloadsRequest* request,
                                        v1::NetworkState* response) override;

 private:
  // Carries out `change`, then answers with the state after it.
  grpc::ServerUnaryReactor* Change(grpc::CallbackServerContext* context,
                                   absl::StatusOr<tcpip::command::Body> change,
                                   v1::NetworkState* response);
  std::string InterfaceOr(const std::string& named) const {
    return named.empty() ? interface_ : named;
  }

  ShardClient& shard_;
  const std::string interface_;
};

}  // namespace netstack::service

#endif  // SERVICE_SERVICES_H_
