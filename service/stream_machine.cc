#include "service/stream_machine.h"

#include <utility>
#include <variant>

#include "service/convert.h"

namespace netstack::service {

namespace command = tcpip::command;

namespace {

// The codes of a connection that ended; the others mean that this command was
// not carried out.
bool IsConnectionLost(const absl::Status& status) {
  return absl::IsAborted(status) || absl::IsDeadlineExceeded(status) ||
         absl::IsUnavailable(status) || absl::IsCancelled(status);
}

}  // namespace

StreamMachine::Actions StreamMachine::OnStart() {
  Actions actions;
  actions.read = true;
  return actions;
}

StreamMachine::Actions StreamMachine::OnRequest(
    absl::StatusOr<DecodedRequest> request) {
  Actions actions;
  if (phase_ == Phase::kEnding || phase_ == Phase::kEnded) return actions;
  if (!request.ok()) {
    Fail(request.status(), actions);
  } else if (phase_ == Phase::kAwaitOpen) {
    OnFirstRequest(*std::move(request), actions);
  } else {
    OnLaterRequest(*std::move(request), actions);
  }
  return actions;
}

void StreamMachine::OnFirstRequest(const DecodedRequest& request,
                                   Actions& actions) {
  if (request.kind != v1::StreamRequest::kOpen) {
    Fail(absl::InvalidArgumentError(
             "the first message of a stream must be `open`"),
         actions);
    return;
  }
  OnOpen(request.message.open(), actions);
}

void StreamMachine::OnOpen(const v1::Open& open, Actions& actions) {
  absl::Status status = ApplyOptions(open.options(), settings_);
  if (!status.ok()) return Fail(status, actions);
  switch (open.target_case()) {
    case v1::Open::kDial: {
      absl::StatusOr<command::TcpDial> dial = ToDial(open.dial(), settings_);
      if (!dial.ok()) return Fail(dial.status(), actions);
      phase_ = Phase::kOpening;
      actions.posts.push_back({ReplyTo::kOpen, *std::move(dial)});
      return;
    }
    case v1::Open::kClaim:
      phase_ = Phase::kOpening;
      options_ = open.options();
      actions.redeem = open.claim().token();
      return;
    case v1::Open::TARGET_NOT_SET:
      return Fail(
          absl::InvalidArgumentError("open: neither `dial` nor `claim` is set"),
          actions);
  }
}

StreamMachine::Actions StreamMachine::OnClaimed(
    std::optional<Claimed> claimed) {
  Actions actions;
  if (!claimed.has_value()) {
    Fail(absl::NotFoundError(
             "claim.token: unknown, already used, or claimed too late"),
         actions);
    return actions;
  }
  // What the claim leaves out stays as the listener had it.
  settings_ = claimed->settings;
  if (options_.ByteSizeLong() > 0) {
    ApplyOptions(options_, settings_).IgnoreError();  // judged in OnOpen
    actions.posts.push_back(
        {ReplyTo::kNobody, command::SetSettings{claimed->socket, settings_}});
  }
  OnOpened(claimed->socket, claimed->tuple, actions);
  return actions;
}

void StreamMachine::OnOpened(tcpip::SocketId socket,
                             const tcpip::FourTuple& tuple, Actions& actions) {
  phase_ = Phase::kOpen;
  socket_ = socket;
  v1::StreamResponse response;
  response.mutable_opened()->set_local(tuple.local.ToString());
  response.mutable_opened()->set_remote(tuple.remote.ToString());
  Write(EncodeResponse(response), actions);
  Receive(actions);
  actions.read = true;
}

void StreamMachine::OnLaterRequest(DecodedRequest request, Actions& actions) {
  // What is posted with kRequest holds the next request back until the shard
  // has carried it out.
  switch (request.kind) {
    case v1::StreamRequest::kData:
      if (request.data.size() == 0) {
        actions.read = true;
      } else if (write_closed_) {
        Fail(absl::InvalidArgumentError("`data` after `eof`"), actions);
      } else {
        actions.posts.push_back(
            {ReplyTo::kRequest,
             command::TcpSend{*socket_, std::move(request.data)}});
      }
      return;
    case v1::StreamRequest::kEof:
      if (write_closed_) {
        actions.read = true;  // said twice
      } else {
        CloseWrite(actions);
      }
      return;
    case v1::StreamRequest::kReset:
      actions.posts.push_back({ReplyTo::kNobody, command::Abort{*socket_}});
      socket_.reset();
      return EndWithReset(v1::Reset::ABORTED, actions);
    case v1::StreamRequest::kSetOptions: {
      absl::Status status =
          ApplyOptions(request.message.set_options(), settings_);
      if (!status.ok()) return Fail(status, actions);
      actions.posts.push_back(
          {ReplyTo::kRequest, command::SetSettings{*socket_, settings_}});
      return;
    }
    case v1::StreamRequest::kOpen:
      return Fail(absl::InvalidArgumentError("a second `open`"), actions);
    case v1::StreamRequest::MESSAGE_NOT_SET:
      return Fail(
          absl::InvalidArgumentError("a request without any known member"),
          actions);
  }
}

StreamMachine::Actions StreamMachine::OnNoMoreRequests() {
  Actions actions;
  requests_ended_ = true;
  if (phase_ == Phase::kAwaitOpen) {
    Fail(absl::InvalidArgumentError("the stream ended before `open`"), actions);
  } else if (phase_ == Phase::kOpen && !write_closed_) {
    CloseWrite(actions);
  }
  return actions;
}

StreamMachine::Actions StreamMachine::OnReply(ReplyTo to, tcpip::Reply reply) {
  Actions actions;
  switch (to) {
    case ReplyTo::kNobody:
      break;
    case ReplyTo::kOpen:
      OnOpenReply(reply, actions);
      break;
    case ReplyTo::kRequest:
      if (phase_ == Phase::kOpen) OnRequestReply(reply, actions);
      break;
    case ReplyTo::kReceive:
      if (phase_ == Phase::kOpen) OnReceiveReply(std::move(reply), actions);
      break;
  }
  return actions;
}

void StreamMachine::OnOpenReply(const tcpip::Reply& reply, Actions& actions) {
  if (!reply.status.ok()) {
    if (phase_ == Phase::kOpening) Fail(reply.status, actions);
    return;
  }
  const auto& opened = std::get<tcpip::reply::Opened>(reply.body);
  if (phase_ != Phase::kOpening) {
    // Nobody waits for it any more.
    actions.posts.push_back({ReplyTo::kNobody, command::Abort{opened.socket}});
    return;
  }
  OnOpened(opened.socket, opened.tuple, actions);
}

// A connection that is gone fails the receive too, and what came before is
// delivered first: the receive ends the call. Without one (the peer's FIN was
// first) this is the end. A client that is still sending may not be reading: it
// is watched. Any other failure is the request's own.
void StreamMachine::OnRequestReply(const tcpip::Reply& reply,
                                   Actions& actions) {
  if (reply.status.ok()) {
    actions.read = !requests_ended_;
  } else if (!IsConnectionLost(reply.status)) {
    Fail(reply.status, actions);
  } else {
    // One code, which no failed dial and no deadline can be taken for.
    lost_ = absl::AbortedError(reply.status.message());
    client_took_ = false;
    actions.watch = !write_closed_;
    if (read_closed_) EndWithReset(ToResetReason(reply.status), actions);
  }
}

void StreamMachine::OnReceiveReply(tcpip::Reply reply, Actions& actions) {
  if (!reply.status.ok()) {
    if (!IsConnectionLost(reply.status)) {
      Fail(reply.status, actions);
    } else {
      EndWithReset(ToResetReason(reply.status), actions);
    }
    return;
  }
  auto& received = std::get<tcpip::reply::Received>(reply.body);
  if (received.data.size() > 0) {
    receive_after_write_ = !received.eof;
    Write(EncodeData(std::move(received.data)), actions);
  }
  if (received.eof) {
    read_closed_ = true;
    v1::StreamResponse response;
    response.mutable_eof();
    Write(EncodeResponse(response), actions);
    EndIfBothClosed(actions);
  }
}

StreamMachine::Actions StreamMachine::OnWritten(bool ok) {
  Actions actions;
  writing_ = false;
  if (!ok) {
    to_write_.clear();
    return actions;  // OnCancel comes too
  }
  client_took_ = true;
  WriteNext(actions);
  if (!writing_ && receive_after_write_ && phase_ == Phase::kOpen) {
    receive_after_write_ = false;
    Receive(actions);
  }
  return actions;
}

// Also when all was said: it may be stuck behind what is unread.
StreamMachine::Actions StreamMachine::OnWatched() {
  Actions actions;
  if (std::exchange(client_took_, false)) {
    actions.watch = true;
    return actions;
  }
  if (phase_ != Phase::kEnded) Fail(lost_, actions);
  actions.cut = ToGrpc(lost_);
  return actions;
}

StreamMachine::Actions StreamMachine::OnCancel() {
  Actions actions;
  if (phase_ == Phase::kEnded) return actions;
  actions.cancel_open = phase_ == Phase::kOpening;
  to_write_.clear();
  Fail(absl::CancelledError("cancelled by the client"), actions);
  return actions;
}

void StreamMachine::CloseWrite(Actions& actions) {
  write_closed_ = true;
  actions.posts.push_back(
      {ReplyTo::kRequest, command::TcpCloseWrite{*socket_}});
  EndIfBothClosed(actions);
}

void StreamMachine::Receive(Actions& actions) {
  actions.posts.push_back({ReplyTo::kReceive, command::TcpRecv{*socket_}});
}

void StreamMachine::EndWithReset(v1::Reset::Reason reason, Actions& actions) {
  if (socket_.has_value()) {
    actions.posts.push_back({ReplyTo::kNobody, command::Close{*socket_}});
    socket_.reset();
  }
  phase_ = Phase::kEnding;
  finish_ = grpc::Status::OK;
  v1::StreamResponse reset;
  reset.mutable_reset()->set_reason(reason);
  Write(EncodeResponse(reset), actions);
  v1::StreamResponse closed;
  closed.mutable_closed();
  Write(EncodeResponse(closed), actions);
}

void StreamMachine::EndIfBothClosed(Actions& actions) {
  if (!write_closed_ || !read_closed_ || phase_ != Phase::kOpen) return;
  actions.posts.push_back({ReplyTo::kNobody, command::Close{*socket_}});
  socket_.reset();
  phase_ = Phase::kEnding;
  finish_ = grpc::Status::OK;
  v1::StreamResponse closed;
  closed.mutable_closed();
  Write(EncodeResponse(closed), actions);
}

void StreamMachine::Fail(const absl::Status& status, Actions& actions) {
  if (socket_.has_value()) {
    actions.posts.push_back({ReplyTo::kNobody, command::Abort{*socket_}});
    socket_.reset();
  }
  to_write_.clear();
  phase_ = Phase::kEnded;
  actions.finish = ToGrpc(status);
  // Whether the client will read what is being written, nobody knows.
  if (writing_) actions.cut = actions.finish;
}

void StreamMachine::Write(grpc::ByteBuffer message, Actions& actions) {
  to_write_.push_back(std::move(message));
  if (!writing_) WriteNext(actions);
}

void StreamMachine::WriteNext(Actions& actions) {
  if (!to_write_.empty()) {
    writing_ = true;
    actions.write = std::move(to_write_.front());
    to_write_.pop_front();
  } else if (finish_.has_value() && phase_ == Phase::kEnding) {
    phase_ = Phase::kEnded;
    actions.finish = std::move(finish_);
  }
}

}  // namespace netstack::service
