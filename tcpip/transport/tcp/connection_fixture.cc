#include "tcpip/transport/tcp/connection_fixture.h"

#include <utility>

#include "tcpip/buffer/view.h"

namespace tcpip::tcp {
namespace {

using Step = void (*)(ConnectionFixture&);

void PeerOpensToo(ConnectionFixture& f) { f.Say(kSyn); }
void PeerAccepts(ConnectionFixture& f) { f.Say(kSyn | kAck); }
void PeerAcknowledges(ConnectionFixture& f) { f.Say(kAck); }
void PeerCloses(ConnectionFixture& f) { f.Say(kFin | kAck); }
void PeerResets(ConnectionFixture& f) { f.Say(kRst); }

void WeClose(ConnectionFixture& f) {
  f.connection().CloseWrite();
  f.Take();
}

// The peer's FIN has left before ours came.
void PeerClosesToo(ConnectionFixture& f) {
  Segment fin = f.FromPeer(kFin | kAck);
  fin.ack = fin.ack - 1;
  f.Deliver(std::move(fin));
  f.peer_nxt += 1;
}

// From SYN-SENT to `state`.
std::vector<Step> WayTo(TcpState state) {
  switch (state) {
    case TcpState::kListen:
    case TcpState::kSynSent:
      return {};
    case TcpState::kSynReceived:
      return {PeerOpensToo};
    case TcpState::kEstablished:
      return {PeerAccepts};
    case TcpState::kFinWait1:
      return {PeerAccepts, WeClose};
    case TcpState::kFinWait2:
      return {PeerAccepts, WeClose, PeerAcknowledges};
    case TcpState::kCloseWait:
      return {PeerAccepts, PeerCloses};
    case TcpState::kLastAck:
      return {PeerAccepts, PeerCloses, WeClose};
    case TcpState::kClosing:
      return {PeerAccepts, WeClose, PeerClosesToo};
    case TcpState::kTimeWait:
      return {PeerAccepts, WeClose, PeerCloses};
    case TcpState::kClosed:
      return {PeerAccepts, PeerResets};
  }
  return {};
}

}  // namespace

FixtureOptions::FixtureOptions() {
  peer_options.mss = 1000;
  peer_options.window_scale = 7;
  peer_options.sack_permitted = true;
}

ConnectionFixture::ConnectionFixture(const FixtureOptions& options)
    : peer_nxt(options.irs), our_nxt(options.iss), options_(options) {
  connection_ = std::make_unique<Connection>(
      TcpContext{&options_.config, &pool_}, options_.path, options_.settings,
      InitialNumbers{options_.iss, 7'000});
  Take();
}

ConnectionFixture::~ConnectionFixture() = default;

std::unique_ptr<ConnectionFixture> ConnectionFixture::In(
    TcpState state, const FixtureOptions& options) {
  auto f = std::make_unique<ConnectionFixture>(options);
  for (const Step step : WayTo(state)) step(*f);
  f->Take();
  return f;
}

Segment ConnectionFixture::FromPeer(TcpFlags flags, std::string_view payload) {
  Segment seg;
  seg.seq = peer_nxt;
  seg.flags = flags;
  if (flags.ack()) seg.ack = our_nxt;
  seg.wnd = WireWindow(options_.peer_wnd);
  if (flags.syn()) seg.options = options_.peer_options;
  if (flags.syn() && options_.config.ecn == EcnMode::kActive) {
    // The peer has ECN as well. [RFC 3168 6.1.1]
    seg.flags = flags.With(flags.ack() ? 0 | TcpFlags::kEce
                                       : TcpFlags::kEce | TcpFlags::kCwr);
  }
  if (!payload.empty()) {
    seg.payload.Append(View::Copy(pool_, BytesOf(payload)));
  }
  seg.ingress = now_;
  return seg;
}

void ConnectionFixture::Deliver(Segment seg) {
  connection_->OnSegment(std::move(seg), now_);
}

void ConnectionFixture::Say(TcpFlags flags, std::string_view payload) {
  Segment seg = FromPeer(flags, payload);
  const uint32_t len = seg.len();
  Deliver(std::move(seg));
  peer_nxt += len;
}

std::vector<OutSegment> ConnectionFixture::Take() {
  std::vector<OutSegment> out;
  while (auto seg = connection_->PollSend(now_)) {
    if (!seg->flags.rst()) {
      const auto len = static_cast<uint32_t>(seg->payload.size()) +
                       seg->flags.syn() + seg->flags.fin();
      our_nxt = Max(our_nxt, seg->seq + len);
    }
    out.push_back(std::move(*seg));
  }
  connection_->CheckInvariants();
  return out;
}

void ConnectionFixture::Advance(Duration d) {
  const Instant until = now_ + d;
  while (connection_->NextDeadline() <= until) {
    now_ = std::max(now_, connection_->NextDeadline());
    connection_->OnTimer(now_);
    if (connection_->NextDeadline() <= now_) break;  // must be polled first
  }
  now_ = until;
}

size_t ConnectionFixture::Write(std::string_view text) {
  return connection_->SendCopy(BytesOf(text));
}

std::string ConnectionFixture::Read() {
  return PayloadOf(connection_->Recv(SIZE_MAX));
}

std::string ToString(const OutSegment& seg) {
  const auto size = static_cast<uint32_t>(seg.payload.size());
  const SeqNum end = seg.seq + size + seg.flags.syn() + seg.flags.fin();
  std::string text = seg.flags.ToString() + " " +
                     std::to_string(seg.seq.value()) + ":" +
                     std::to_string(end.value());
  if (seg.flags.ack()) text += " ack " + std::to_string(seg.ack.value());
  return text;
}

std::string PayloadOf(const ViewChain& chain) {
  std::string text(chain.size(), '\0');
  chain.CopyTo({reinterpret_cast<uint8_t*>(text.data()), text.size()});
  return text;
}

}  // namespace tcpip::tcp
