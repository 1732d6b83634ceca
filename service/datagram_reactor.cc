#include "service/datagram_reactor.h"

#include <cstdint>
#include <string>
#include <utility>
#include <variant>

#include "service/convert.h"

namespace netstack::service {

namespace command = tcpip::command;

DatagramReactor* DatagramReactor::Start(ShardClient& shard,
                                        absl::AnyInvocable<void()> on_done) {
  std::shared_ptr<DatagramReactor> self(
      new DatagramReactor(shard, std::move(on_done)));
  self->self_ = self;
  self->StartRead(&self->incoming_);
  return self.get();
}

void DatagramReactor::OnReadDone(bool ok) {
  std::lock_guard lock(mutex_);
  if (ended_) return;
  if (!ok) {
    // No more requests: the client has gone, for a UDP socket has no
    // half-close.
    return End(socket_.has_value() || opening_
                   ? grpc::Status::OK
                   : grpc::Status(grpc::StatusCode::INVALID_ARGUMENT,
                                  "the call ended before `open`"));
  }
  switch (incoming_.message_case()) {
    case v1::DatagramRequest::kOpen:
      return Open(incoming_.open());
    case v1::DatagramRequest::kDatagram:
      return Send(incoming_.datagram());
    case v1::DatagramRequest::MESSAGE_NOT_SET:
      return End({grpc::StatusCode::INVALID_ARGUMENT,
                  "a request without any known member"});
  }
}

void DatagramReactor::Open(const v1::DatagramOpen& open) {
  if (opening_ || socket_.has_value()) {
    return End({grpc::StatusCode::INVALID_ARGUMENT, "a second `open`"});
  }
  absl::StatusOr<command::UdpOpen> body = ToUdpOpen(open);
  if (!body.ok()) return End(ToGrpc(body.status()));
  opening_ = true;
  shard_.Call(*std::move(body),
              [self = shared_from_this()](tcpip::Reply reply) {
                self->OnOpened(std::move(reply));
              });
}

void DatagramReactor::OnOpened(tcpip::Reply reply) {
  std::lock_guard lock(mutex_);
  opening_ = false;
  if (!reply.status.ok()) {
    if (!ended_) End(ToGrpc(reply.status));
    return;
  }
  const auto& opened = std::get<tcpip::reply::Opened>(reply.body);
  if (ended_) {
    shard_.Post(command::Close{opened.socket});
    return;
  }
  socket_ = opened.socket;
  v1::DatagramResponse response;
  response.mutable_opened()->set_local(opened.tuple.local.ToString());
  Write(std::move(response), Next::kNothing);
  Receive();
  StartRead(&incoming_);
}

void DatagramReactor::Send(const v1::Datagram& datagram) {
  if (!socket_.has_value()) {
    return End({grpc::StatusCode::INVALID_ARGUMENT,
                "the first message of a datagram stream must be `open`"});
  }
  command::UdpSend send;
  send.socket = *socket_;
  if (!datagram.peer().empty()) {
    const auto peer = ToEndpoint("datagram.peer", datagram.peer(), false);
    if (!peer.ok()) return WriteError(peer.status(), Next::kRead);
    send.to = *peer;
  }
  const std::string& payload = datagram.payload();
  send.payload = tcpip::OwnedBytes::CopyOf(
      {reinterpret_cast<const uint8_t*>(payload.data()), payload.size()});
  shard_.Call(std::move(send),
              [self = shared_from_this()](const tcpip::Reply& reply) {
                self->OnSent(reply);
              });
}

void DatagramReactor::OnSent(const tcpip::Reply& reply) {
  std::lock_guard lock(mutex_);
  if (ended_) return;
  if (!reply.status.ok()) return WriteError(reply.status, Next::kRead);
  StartRead(&incoming_);
}

void DatagramReactor::Receive() {
  shard_.Call(command::UdpRecv{*socket_},
              [self = shared_from_this()](tcpip::Reply reply) {
                self->OnReceived(std::move(reply));
              });
}

void DatagramReactor::OnReceived(tcpip::Reply reply) {
  std::lock_guard lock(mutex_);
  if (ended_) return;
  // A peer that refused a datagram may take the next.
  if (absl::IsAborted(reply.status)) {
    return WriteError(reply.status, Next::kReceive);
  }
  if (!reply.status.ok()) return End(ToGrpc(reply.status));
  const auto& received = std::get<tcpip::reply::DatagramReceived>(reply.body);
  v1::DatagramResponse response;
  v1::Datagram* datagram = response.mutable_datagram();
  datagram->set_peer(received.source.ToString());
  datagram->set_payload(received.payload.span().data(),
                        received.payload.size());
  Write(std::move(response), Next::kReceive);
}

void DatagramReactor::OnWriteDone(bool ok) {
  std::lock_guard lock(mutex_);
  if (ended_ || !ok) return;
  const Next next = to_write_.front().next;
  to_write_.pop_front();
  if (!to_write_.empty()) WriteNext();
  if (next == Next::kReceive) Receive();
  if (next == Next::kRead) StartRead(&incoming_);
}

// The next request is read when the client was told, so that no error is lost
// and the queue stays bounded.
void DatagramReactor::WriteError(const absl::Status& status, Next next) {
  v1::DatagramResponse response;
  response.mutable_error()->set_message(std::string(status.message()));
  Write(std::move(response), next);
}

void DatagramReactor::Write(v1::DatagramResponse response, Next next) {
  to_write_.push_back({std::move(response), next});
  if (to_write_.size() == 1) WriteNext();
}

void DatagramReactor::WriteNext() { StartWrite(&to_write_.front().response); }

void DatagramReactor::OnCancel() {
  std::lock_guard lock(mutex_);
  if (!ended_) End(grpc::Status::CANCELLED);
}

void DatagramReactor::End(const grpc::Status& why) {
  ended_ = true;
  if (socket_.has_value()) shard_.Post(command::Close{*socket_});
  Finish(why);
}

void DatagramReactor::OnDone() {
  on_done_();
  const std::shared_ptr<DatagramReactor> last = std::move(self_);
}

}  // namespace netstack::service
