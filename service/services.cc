#include "service/services.h"

#include <utility>
#include <variant>

#include "service/convert.h"
#include "service/datagram_reactor.h"
#include "service/list_reactor.h"
#include "service/stream_reactor.h"

namespace netstack::service {
namespace {

namespace command = tcpip::command;
namespace reply = tcpip::reply;

// A call that ends before it began.
template <typename Base>
class Refusal final : public Base {
 public:
  explicit Refusal(const absl::Status& why) { this->Finish(ToGrpc(why)); }

 private:
  void OnDone() override { delete this; }
};

grpc::ServerUnaryReactor* Answer(grpc::CallbackServerContext* context,
                                 const absl::Status& status) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  reactor->Finish(ToGrpc(status));
  return reactor;
}

// A ping may wait long for nothing: it ends at once when it is cancelled.
class PingCall final : public grpc::ServerUnaryReactor,
                       public std::enable_shared_from_this<PingCall> {
 public:
  static PingCall* Start(ShardClient& shard, const command::Ping& ping,
                         v1::PingReply* response, CallGate& gate) {
    std::shared_ptr<PingCall> self(new PingCall(shard, response, gate));
    self->self_ = self;
    self->call_ = shard.Call(
        ping, [self](tcpip::Reply reply) { self->OnReply(std::move(reply)); });
    return self.get();
  }

 private:
  PingCall(ShardClient& shard, v1::PingReply* response, CallGate& gate)
      : shard_(shard), response_(response), gate_(gate) {}

  void OnReply(tcpip::Reply reply) {
    std::lock_guard lock(mutex_);
    if (ended_) return;
    if (reply.status.ok()) {
      *response_ = ToProto(std::get<reply::PingReply>(reply.body).reply);
    }
    ended_ = true;
    Finish(ToGrpc(reply.status));
  }
  void OnCancel() override {
    std::lock_guard lock(mutex_);
    if (std::exchange(ended_, true)) return;
    shard_.Cancel(call_);
    Finish(grpc::Status::CANCELLED);
  }
  void OnDone() override {
    gate_.Leave();
    const std::shared_ptr<PingCall> last = std::move(self_);
  }

  ShardClient& shard_;
  v1::PingReply* const response_;  // gRPC's from Finish on
  CallGate& gate_;
  uint64_t call_ = 0;  // constant once gRPC knows this object
  std::mutex mutex_;
  bool ended_ = false;              // guarded by mutex_
  std::shared_ptr<PingCall> self_;  // until OnDone
};

void AnswerWithNetwork(ShardClient& shard, grpc::ServerUnaryReactor* reactor,
                       v1::NetworkState* response) {
  shard.Call(command::GetNetwork{}, [reactor, response](tcpip::Reply reply) {
    if (reply.status.ok()) {
      *response = ToProto(std::get<reply::Network>(reply.body));
    }
    reactor->Finish(ToGrpc(reply.status));
  });
}

}  // namespace

grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>*
SocketsService::Stream(grpc::CallbackServerContext* context) {
  const absl::Status entered = gate_.Enter();
  if (!entered.ok()) {
    return new Refusal<
        grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>>(entered);
  }
  return StreamReactor::Start(
      *context, shard_,
      [this](const std::string& token) { return desk_.Redeem(token); },
      [this] { gate_.Leave(); });
}

grpc::ServerWriteReactor<v1::ListenEvent>* SocketsService::Listen(
    grpc::CallbackServerContext*, const v1::ListenRequest* request) {
  const absl::Status entered = gate_.Enter();
  if (!entered.ok()) {
    return new Refusal<grpc::ServerWriteReactor<v1::ListenEvent>>(entered);
  }
  ListenReactor* reactor = ListenReactor::Start(
      shard_, desk_, *request, [this](ListenReactor* ended) {
        {
          std::lock_guard lock(mutex_);
          listening_.erase(ended);
        }
        gate_.Leave();
      });
  std::lock_guard lock(mutex_);
  listening_.insert(reactor);
  if (stopped_) reactor->Stop();
  return reactor;
}

void SocketsService::StopListening() {
  std::lock_guard lock(mutex_);
  stopped_ = true;
  // None of them is destroyed before it has left the set.
  for (ListenReactor* reactor : listening_) reactor->Stop();
}

grpc::ServerBidiReactor<v1::DatagramRequest, v1::DatagramResponse>*
SocketsService::Datagrams(grpc::CallbackServerContext*) {
  const absl::Status entered = gate_.Enter();
  if (!entered.ok()) {
    return new Refusal<
        grpc::ServerBidiReactor<v1::DatagramRequest, v1::DatagramResponse>>(
        entered);
  }
  return DatagramReactor::Start(shard_, [this] { gate_.Leave(); });
}

grpc::ServerWriteReactor<v1::Connection>* SocketsService::ListConnections(
    grpc::CallbackServerContext*, const v1::ListConnectionsRequest* request) {
  return ListReactor::Start(shard_, *request);
}

grpc::ServerUnaryReactor* SocketsService::GetStats(
    grpc::CallbackServerContext* context, const v1::GetStatsRequest*,
    v1::Stats* response) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  shard_.Call(command::GetStats{},
              [this, reactor, response](const tcpip::Reply& reply) {
                if (reply.status.ok()) {
                  *response = ToProto(std::get<reply::Stats>(reply.body));
                  auto& counters = *response->mutable_counters();
                  counters["claims_expired"] = desk_.expired();
                  counters["calls_refused"] = gate_.refused();
                }
                reactor->Finish(ToGrpc(reply.status));
              });
  return reactor;
}

grpc::ServerUnaryReactor* SocketsService::Ping(
    grpc::CallbackServerContext* context, const v1::PingRequest* request,
    v1::PingReply* response) {
  absl::StatusOr<command::Ping> ping = ToPing(*request);
  if (!ping.ok()) return Answer(context, ping.status());
  const absl::Status entered = gate_.Enter();
  if (!entered.ok()) return Answer(context, entered);
  return PingCall::Start(shard_, *std::move(ping), response, gate_);
}

grpc::ServerUnaryReactor* NetworkService::GetNetwork(
    grpc::CallbackServerContext* context, const v1::GetNetworkRequest*,
    v1::NetworkState* response) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  AnswerWithNetwork(shard_, reactor, response);
  return reactor;
}

grpc::ServerUnaryReactor* NetworkService::Change(
    grpc::CallbackServerContext* context, absl::StatusOr<command::Body> change,
    v1::NetworkState* response) {
  if (!change.ok()) return Answer(context, change.status());
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  shard_.Call(*std::move(change),
              [this, reactor, response](const tcpip::Reply& reply) {
                if (!reply.status.ok()) {
                  reactor->Finish(ToGrpc(reply.status));
                } else {
                  AnswerWithNetwork(shard_, reactor, response);
                }
              });
  return reactor;
}

grpc::ServerUnaryReactor* NetworkService::AddAddress(
    grpc::CallbackServerContext* context, const v1::AddAddressRequest* request,
    v1::NetworkState* response) {
  const auto address = ToCidr("address", request->address());
  if (!address.ok()) return Change(context, address.status(), response);
  return Change(
      context, command::AddAddress{InterfaceOr(request->interface()), *address},
      response);
}

grpc::ServerUnaryReactor* NetworkService::RemoveAddress(
    grpc::CallbackServerContext* context,
    const v1::RemoveAddressRequest* request, v1::NetworkState* response) {
  // With or without its prefix length.
  const std::string text =
      request->address().substr(0, request->address().find('/'));
  const auto address = ToAddress("address", text);
  if (!address.ok()) return Change(context, address.status(), response);
  return Change(
      context,
      command::RemoveAddress{InterfaceOr(request->interface()), *address},
      response);
}

grpc::ServerUnaryReactor* NetworkService::AddRoute(
    grpc::CallbackServerContext* context, const v1::AddRouteRequest* request,
    v1::NetworkState* response) {
  const auto destination = ToCidr("destination", request->destination());
  if (!destination.ok()) return Change(context, destination.status(), response);
  return Change(context,
                command::AddRoute{destination->Masked(),
                                  InterfaceOr(request->interface())},
                response);
}

grpc::ServerUnaryReactor* NetworkService::RemoveRoute(
    grpc::CallbackServerContext* context, const v1::RemoveRouteRequest* request,
    v1::NetworkState* response) {
  const auto destination = ToCidr("destination", request->destination());
  if (!destination.ok()) return Change(context, destination.status(), response);
  return Change(context, command::RemoveRoute{destination->Masked()}, response);
}

grpc::ServerUnaryReactor* NetworkService::SetOffloads(
    grpc::CallbackServerContext* context, const v1::SetOffloadsRequest* request,
    v1::NetworkState* response) {
  return Change(context, ToSetOffloads(*request), response);
}

}  // namespace netstack::service
