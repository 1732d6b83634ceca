#include "conformance/posix_fixture.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "conformance/linux_constants.h"
#include "gtest/gtest.h"
#include "tcpip/testing/packet_builder.h"
#include "tcpip/wire/tcp.h"

namespace conformance {
namespace {

using tcpip::Instant;
using tcpip::IpEndpoint;
using tcpip::sim::Bytes;
using tcpip::wire::TcpFlags;

constexpr uint16_t kPort = 8080;

IpEndpoint HostAt(uint16_t port) { return {tcpip::Ip("10.0.0.1"), port}; }
IpEndpoint PeerAt(uint16_t port) { return {tcpip::Ip("10.0.0.2"), port}; }

TcpFlags FlagsOf(std::string_view letters) {
  int bits = 0;
  for (const char letter : letters) {
    bits |= letter == 'F'   ? TcpFlags::kFin
            : letter == 'S' ? TcpFlags::kSyn
            : letter == 'R' ? TcpFlags::kRst
            : letter == 'P' ? TcpFlags::kPsh
                            : TcpFlags::kAck;
  }
  return TcpFlags(bits);
}

}  // namespace

PosixFixture::PosixFixture(const PosixDefaults& defaults)
    : host_(1, {.name = "link0"}, {"10.0.0.1/24", "2001:db8::1/64"}),
      sockets_(host_.stack(), defaults) {}

void PosixFixture::Settle() {
  sockets_.OnProgress(now_);
  for (Bytes& packet : host_.Drain(now_)) sent_.push_back(std::move(packet));
  sockets_.OnProgress(now_);
}

CallResult PosixFixture::Do(const Call& call) {
  const auto id = sockets_.Start(call, now_);
  Settle();
  auto finished = sockets_.Take(id);
  EXPECT_TRUE(finished) << "the call blocks";
  return finished ? std::move(finished->result) : CallResult{.value = -1};
}

PosixSockets::CallId PosixFixture::Begin(const Call& call) {
  const auto id = sockets_.Start(call, now_);
  Settle();
  const auto finished = sockets_.Take(id);
  EXPECT_FALSE(finished) << "the call says " << Said(finished->result);
  return id;
}

void PosixFixture::Pass(tcpip::Duration duration) {
  const Instant end = now_ + duration;
  while (true) {
    const Instant next =
        std::min(host_.stack().NextDeadline(), sockets_.NextDeadline());
    if (next > end) break;
    now_ = std::max(now_, next);
    host_.stack().OnTimers(now_);
    Settle();
  }
  now_ = end;
}

int PosixFixture::Socket(int flags) {
  return static_cast<int>(Do(call::Socket{.domain = Linux("AF_INET"),
                                          .type = Linux("SOCK_STREAM") | flags})
                              .value);
}

int PosixFixture::Listener(int backlog, int flags) {
  const int fd = Socket(flags);
  EXPECT_EQ(Said(Do(call::Bind{fd, HostAt(kPort)})), "0");
  EXPECT_EQ(Said(Do(call::Listen{fd, backlog})), "0");
  listener_ = fd;
  return fd;
}

Peer PosixFixture::Knock(uint16_t port) {
  Peer peer = {.self = PeerAt(port), .host = HostAt(kPort)};
  Send(peer, "S");
  EXPECT_EQ(peer.flags, "S.");
  Send(peer, ".");
  return peer;
}

PosixFixture::Connection PosixFixture::Accepted() {
  if (!listener_) Listener();
  Peer peer = Knock();
  const CallResult accepted = Do(call::Accept{*listener_});
  EXPECT_EQ(accepted.peer, peer.self);
  return {static_cast<int>(accepted.value), std::move(peer)};
}

PosixFixture::Connecting PosixFixture::Connect(int flags) {
  Connecting c = {Socket(flags), 0, {}};
  c.call = sockets_.Start(call::Connect{c.fd, PeerAt(kPort)}, now_);
  Settle();
  const auto syn = tcpip::sim::Read(sent_.at(0));
  c.peer = {.self = syn->flow().remote, .host = syn->flow().local};
  Hear(c.peer);
  EXPECT_EQ(c.peer.flags, "S");
  return c;
}

void PosixFixture::Receive(const Bytes& packet) {
  host_.Receive(packet, now_);
  Settle();
}

void PosixFixture::Send(Peer& peer, std::string_view letters, size_t bytes) {
  const TcpFlags flags = FlagsOf(letters);
  Receive(tcpip::sim::Build(tcpip::sim::TcpPacket{.from = peer.self,
                                                  .to = peer.host,
                                                  .seq = peer.seq,
                                                  .ack = peer.ack,
                                                  .flags = flags,
                                                  .window = peer.window,
                                                  .payload = Bytes(bytes)}));
  peer.seq += static_cast<uint32_t>(bytes) + flags.syn() + flags.fin();
  Hear(peer);
}

void PosixFixture::Hear(Peer& peer) {
  Settle();
  const auto is_for_peer = [&](const Bytes& packet) {
    const auto read = tcpip::sim::Read(packet);
    return read && read->tcp && read->flow().remote == peer.self;
  };
  for (const Bytes& packet : sent_) {
    if (!is_for_peer(packet)) continue;
    const auto read = tcpip::sim::Read(packet);
    peer.ack = std::max(read->tcp->header.seq + read->tcp->len(), peer.ack);
    peer.bytes += read->tcp->payload.size();
    absl::StrAppend(&peer.flags, peer.flags.empty() ? "" : " ",
                    read->tcp->header.flags.ToString());
  }
  std::erase_if(sent_, is_for_peer);
}

std::string Said(const CallResult& result) {
  if (!result.unsupported.empty()) {
    return absl::StrCat("unsupported: ", result.unsupported);
  }
  if (result.error == 0) return absl::StrCat(result.value);
  return absl::StrCat(result.value, " ", std::string(ErrnoName(result.error)));
}

}  // namespace conformance
